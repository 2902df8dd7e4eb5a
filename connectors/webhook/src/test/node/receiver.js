// Receives webhooks as an application in JavaScript does: verifies the signature with the package
// standardwebhooks, then reads the event with the package cloudevents. For each request it prints
// what it saw as one line of JSON.
"use strict";
const http = require("node:http");
const { HTTP } = require("cloudevents");
const { Webhook } = require("standardwebhooks");

const webhook = new Webhook(process.argv[2]);

function read(headers, body) {
  try {
    webhook.verify(body, headers, { jsonParse: false });
    const event = HTTP.toEvent({ headers, body });
    return { valid: event.validate(), event: event.toJSON() };
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
}

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const seen = read(request.headers, Buffer.concat(chunks).toString("utf8"));
    response.writeHead(seen.error ? 422 : 204).end();
    console.log(JSON.stringify(seen));
  });
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
