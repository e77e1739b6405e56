// A loopback door to a server that wants a bearer, for a suite that sends none: each connection's request gets an Authorization field and goes on as
// the bytes it is. Host and Origin are rewritten where they name this door, so that a foreign one is still refused by the server itself. One request
// a connection: the server is told to close.
import net from 'node:net';

const headMax = 64 * 1024;

// `origin` of the server, like http://127.0.0.1:4242; `token` gives a bearer a request. Gives {origin, close}.
export async function openForwarder(origin, token) {
  const target = new URL(origin);
  const sockets = new Set();
  const server = net.createServer((client) => {
    keep(client);
    let head = Buffer.alloc(0);
    const onData = async (piece) => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return head.length > headMax ? client.destroy() : undefined;
      client.off('data', onData).pause();
      const bearer = await token().catch(() => null);
      if (!bearer) return client.destroy();
      const upstream = keep(net.connect(Number(target.port), target.hostname));
      upstream.on('close', () => client.destroySoon());
      client.on('close', () => upstream.destroy());
      upstream.write(withBearer(head.subarray(0, end).toString('latin1'), bearer), 'latin1');
      upstream.write(head.subarray(end));
      client.pipe(upstream);
      upstream.pipe(client);
    };
    client.on('data', onData);
  });
  function keep(socket) {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket;
  }
  await new Promise((resolve, reject) => server.listen(0, '127.0.0.1', resolve).on('error', reject));
  const own = `127.0.0.1:${server.address().port}`;

  function withBearer(head, bearer) {
    const lines = head.split('\r\n').filter((line) => !/^connection:/i.test(line)).map((line) => {
      const [name] = line.split(':', 1);
      const value = line.slice(name.length + 1).trim();
      if (/^host$/i.test(name) && value === own) return `Host: ${target.host}`;
      if (/^origin$/i.test(name) && value === `http://${own}`) return `Origin: ${target.origin}`;
      return line;
    });
    return [...lines, 'Connection: close', `Authorization: Bearer ${bearer}`].join('\r\n');
  }
  return {
    origin: `http://${own}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      for (const socket of sockets) socket.destroy();
    }),
  };
}
