import assert from "node:assert/strict";
import { createServer, request as httpRequest } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { gatewayFor, prompt, tell } from "../testing/harness.ts";
import { chatEnd, chatEvents, ScriptedProvider, streamOf } from "../testing/scripted-provider.ts";
import { proxyFor } from "./route.ts";

test("which requests take the proxy: by scheme, never loopback, not what NO_PROXY names (M-01)", () => {
  const env = {
    HTTPS_PROXY: "http://p:1",
    HTTP_PROXY: "http://q:2",
    NO_PROXY: "direct.test, .corp.test,*.lab.test 10.0.0.0/8,port.test:8443,fd00::/8",
  };
  const route = (url: string, over: Record<string, string> = {}): unknown =>
    proxyFor(new URL(url), { ...env, ...over });
  assert.deepEqual(route("https://api.test/v1"), { HTTPS_PROXY: "http://p:1" });
  assert.deepEqual(route("http://api.test/v1"), { HTTP_PROXY: "http://q:2" });
  for (const direct of [
    "http://127.0.0.1:99/",
    "https://localhost/",
    "http://[::1]:5/",
    "https://direct.test/",
    "https://a.direct.test/",
    "https://x.corp.test/",
    "https://y.lab.test/",
    "http://10.9.8.7/",
    "https://port.test:8443/",
    "http://[fd00::5]/",
  ]) {
    assert.equal(route(direct), undefined, direct);
  }
  for (const proxied of ["https://notdirect.test/", "http://11.0.0.1/", "https://port.test/"])
    assert.notEqual(route(proxied), undefined, proxied);
  assert.equal(route("https://api.test/", { NO_PROXY: "*" }), undefined);
  assert.equal(proxyFor(new URL("https://api.test/"), {}), undefined);
});

test("a model request goes through the proxy, one to loopback does not", async () => {
  await using provider = await ScriptedProvider.start(streamOf(chatEvents({ content: "through" }) + chatEnd()));
  const target = new URL(provider.origin);
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  // Stands for a company proxy: takes absolute addresses and CONNECT, resolves every name to the provider above.
  const proxy = createServer((request, response) => {
    hosts.push(new URL(request.url ?? "").host);
    const onward = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: new URL(request.url ?? "").pathname,
        method: request.method,
        headers: request.headers,
      },
      (r) => {
        response.writeHead(r.statusCode ?? 502, r.headers);
        r.pipe(response);
      },
    );
    request.pipe(onward);
  });
  proxy.on("connect", (request, socket: Socket) => {
    hosts.push(`CONNECT ${request.url}`);
    sockets.add(socket);
    const onward = connect(Number(target.port), target.hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { HTTP_PROXY: address, HTTPS_PROXY: address };
  const far = gatewayFor("http://models.test", { env });
  assert.equal((await tell(far.resolve("c/m").stream(prompt(), new AbortController().signal))).text, "through");
  const near = gatewayFor(provider.origin, { env });
  assert.equal((await tell(near.resolve("c/m").stream(prompt(), new AbortController().signal))).text, "through");
  assert.deepEqual(hosts, ["models.test"]);
  // TLS: the CONNECT reaches the proxy with the host; the plain server behind it ends the handshake, which is never retried as if it were load.
  const tls = gatewayFor("https://models.test", { env, retry: { networkMs: 0 } });
  const told = await tell(tls.resolve("c/m").stream(prompt(), new AbortController().signal));
  assert.equal(told.error, "provider_unavailable");
  assert.equal(hosts[1], "CONNECT models.test:443");
  for (const g of [far, near, tls]) g.close();
  for (const socket of sockets) socket.destroy();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});
