// A Stripe webhook handler that is idempotent: the event id is the primary key of the row that it writes, so the database
// itself lets each event in once. A duplicate changes nothing and is answered 200 all the same. A handler that writes more
// than one row inserts the id first, with ON CONFLICT DO NOTHING, in the same transaction as all the rest.
//
//   STRIPE_WEBHOOK_SECRET=whsec_… node stripe-sqlite-right.mjs --port 3000 --db shop.db
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Database } from "../sqlite.mjs";
import Stripe from "stripe";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3000" }, db: { type: "string", default: "shop.db" } },
});
const secret = process.env.STRIPE_WEBHOOK_SECRET ?? "";
const stripe = new Stripe("sk_test_not_used_for_webhooks");

const db = new Database(values.db);
db.pragma("journal_mode = WAL");
db.exec(
  "CREATE TABLE IF NOT EXISTS charges (event TEXT PRIMARY KEY, invoice TEXT NOT NULL, amount INTEGER NOT NULL) STRICT",
);
const charge = db.prepare(
  "INSERT INTO charges (event, invoice, amount) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
);

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function handle(request, response) {
  const body = await readBody(request);
  let event;
  try {
    event = stripe.webhooks.constructEvent(body, request.headers["stripe-signature"] ?? "", secret);
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`);
    return;
  }
  charge.run(event.id, event.data.object.id, event.data.object.amount_due);
  response.writeHead(200, { "Content-Type": "application/json" }).end('{"received":true}');
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    // A 5xx asks Stripe to send the event again.
    console.error(error);
    response.writeHead(500).end();
  });
});

server.listen(Number(values.port), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  db.close();
});
