// Makes an ES256 key once (in PEER_KEYS) and prints an access token for the resource: node issue.mjs RESOURCE
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SignJWT, exportJWK, generateKeyPair, importJWK } from 'jose';

const folder = process.env.PEER_KEYS;
if (!existsSync(`${folder}/private.json`)) {
  mkdirSync(folder, { recursive: true });
  const pair = await generateKeyPair('ES256', { extractable: true });
  writeFileSync(`${folder}/private.json`, JSON.stringify(await exportJWK(pair.privateKey)), { mode: 0o600 });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  writeFileSync(`${folder}/jwks.json`, JSON.stringify({ keys: [jwk] }));
}
const key = await importJWK(JSON.parse(readFileSync(`${folder}/private.json`, 'utf8')), 'ES256');
const now = Math.floor(Date.now() / 1000);
process.stdout.write(
  await new SignJWT({ scope: 'desk:read', client_id: 'bench', jti: String(now) })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    .setIssuer('http://127.0.0.1:8930').setSubject('rowan').setAudience(process.argv[2])
    .setIssuedAt(now).setExpirationTime(now + 14400).sign(key));
