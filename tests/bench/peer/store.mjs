// The peer's order store: an order read is one row and two child queries, prepared once, as in the desk.
import Database from 'better-sqlite3';

export function openStore(file) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE IF NOT EXISTS orders(order_id TEXT PRIMARY KEY, placed_at TEXT, delivered_at TEXT, status TEXT, currency TEXT, total_cents INTEGER);
    CREATE TABLE IF NOT EXISTS lines(order_id TEXT, n INTEGER, line_id TEXT, sku TEXT, title TEXT, quantity INTEGER, unit_cents INTEGER, line_cents INTEGER, PRIMARY KEY(order_id, n));
    CREATE TABLE IF NOT EXISTS parts(order_id TEXT, n INTEGER, line_id TEXT, sku TEXT, title TEXT, unit_cents INTEGER, PRIMARY KEY(order_id, n));`);
  if (!db.prepare('SELECT 1 FROM orders').get()) {
    db.prepare('INSERT INTO orders VALUES(?,?,?,?,?,?)').run('ORD-5521', '2026-11-10T14:03:11Z', '2026-11-14T10:00:00Z', 'delivered', 'USD', 35330);
    const lines = [['TNT-2P-ALPINE', 'Alpine two-person tent with footprint', 1, 31900], ['PEG-10', 'Aluminium pegs, set of ten', 1, 1450],
      ['GUY-4', 'Reflective guy lines, set of four', 2, 990]];
    lines.forEach(([sku, title, quantity, cents], n) =>
      db.prepare('INSERT INTO lines VALUES(?,?,?,?,?,?,?,?)').run('ORD-5521', n, `LN-${n + 1}`, sku, title, quantity, cents, quantity * cents));
    db.prepare('INSERT INTO parts VALUES(?,?,?,?,?,?)').run('ORD-5521', 0, 'LN-1', 'POLE-SEC-A', 'Replacement pole section, 8.5 mm', 4800);
    db.prepare('INSERT INTO parts VALUES(?,?,?,?,?,?)').run('ORD-5521', 1, 'LN-1', 'POLE-KIT', 'Pole repair sleeve kit', 1200);
  }
  const order = db.prepare('SELECT * FROM orders WHERE order_id = ?');
  const lines = db.prepare('SELECT line_id, sku, title, quantity, unit_cents, line_cents FROM lines WHERE order_id = ? ORDER BY n');
  const parts = db.prepare('SELECT line_id, sku, title, unit_cents FROM parts WHERE order_id = ? ORDER BY n');
  return { order: (id) => ({ ...order.get(id), lines: lines.all(id), parts: parts.all(id), refunds: [], refunds_source: 'unavailable' }) };
}
