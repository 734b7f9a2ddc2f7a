'use strict';
// Sends what a Node.js program asks for by `fetch`, `http` and `https` through tapeline, as Node.js itself does by NODE_USE_ENV_PROXY from 24 and
// 22.21 on, for some of it. Loaded before the program by NODE_OPTIONS. Connections stay what they were: one to the proxy for each that would have gone to an
// origin, kept, reused and closed by the same agents. What has a way of its own to connect keeps it.
//
// Read by every Node.js from 12 on: no syntax that is younger.

const environment = process.env;
const ours = environment.TAPELINE_PROXY;
const [major, minor] = process.versions.node.split('.').map(Number);
// Such a Node.js does so for `fetch` and for its own agents; agents that programs make are left to us.
const honours = environment.NODE_USE_ENV_PROXY === '1' && (major >= 24 || (major === 22 && minor >= 21));

// A program's own choice of another proxy, or of none, is left to it.
const isProxied = {
  'http:': !!ours && (environment.http_proxy || environment.HTTP_PROXY) === ours,
  'https:': !!ours && (environment.https_proxy || environment.HTTPS_PROXY) === ours,
};

if (isProxied['http:'] || isProxied['https:']) {
  const proxy = proxyOf(ours);
  const exceptions = exceptionsOf(environment.no_proxy || environment.NO_PROXY || '');
  patchAgents(proxy, exceptions);
  if (!honours) patchFetch(proxy, exceptions);
}

// Who goes where

function proxyOf(text) {
  const url = new URL(text);
  const user = decodeURIComponent(url.username) + ':' + decodeURIComponent(url.password);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || 80,
    authorization: url.username ? 'Basic ' + Buffer.from(user).toString('base64') : null,
  };
}

/** NO_PROXY: `host` and `.host` with what is below them, `*`, each perhaps with a port. */
function exceptionsOf(list) {
  return list.toLowerCase().split(/[\s,]+/).filter(Boolean).map(entry => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|(.*?))(?::(\d+))?$/.exec(entry);
    const isAddress = bracketed === undefined && /:.*:/.test(entry);
    const host = isAddress ? entry : bracketed === undefined ? plain : bracketed;
    return { host: host.replace(/^\*?\./, ''), port: isAddress ? 0 : Number(port) || 0 };
  });
}

function isExcepted(exceptions, host, port) {
  return exceptions.some(entry =>
    (!entry.port || entry.port === port) && (entry.host === '*' || host === entry.host || host.endsWith('.' + entry.host)));
}

/** The host and port that a request through the proxy is for; `null` for one that goes its own way. */
function targetOf(protocol, options, proxy, exceptions) {
  if (!isProxied[protocol] || options.socketPath || options.path || options.socket) return null;
  const host = String(options.host || options.hostname || 'localhost').replace(/^\[|\]$/g, '').toLowerCase();
  const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
  // A library that speaks to proxies by itself has found this one.
  if (host === proxy.host && port === proxy.port) return null;
  if (isExcepted(exceptions, host, port)) return null;
  const name = host.includes(':') ? `[${host}]` : host;
  return { authority: `${name}:${port}`, url: protocol + '//' + name + (port === 80 ? '' : ':' + port) };
}

// http and https

function patchAgents(proxy, exceptions) {
  const http = require('http');
  const https = require('https');
  const net = require('net');
  const tls = require('tls');
  const origin = Symbol('tapeline: for which origin a connection to the proxy is');

  /** What of a connection to an origin makes sense for one to the proxy. */
  function options(given) {
    const result = Object.assign({}, given, { host: proxy.host, port: proxy.port });
    for (const name of ['path', 'lookup', 'family', 'hints', 'localAddress', 'localPort']) delete result[name];
    return result;
  }

  function connectInClear(given) {
    const target = targetOf('http:', given, proxy, exceptions);
    if (!target) return null;
    const socket = net.connect(options(given));
    socket[origin] = target.url;
    return socket;
  }

  /** `connect` makes the TLS connection, of whatever session and settings. */
  function connectSecurely(given, connect) {
    const target = targetOf('https:', given, proxy, exceptions);
    if (!target) return null;
    const tunnel = openTunnel(proxy, target.authority);
    const socket = connect(Object.assign({}, given, { socket: tunnel }));
    // TLS over a stream that is no socket of the system's has nothing to do these to.
    for (const name of ['ref', 'unref', 'setKeepAlive', 'setNoDelay']) {
      const method = socket[name];
      socket[name] = function () {
        tunnel.connection[name].apply(tunnel.connection, arguments);
        return method.apply(this, arguments);
      };
    }
    return socket;
  }

  /** Not what Node.js sends through the proxy by itself, nor what is no options. */
  const isOurs = (agent, given) =>
    given !== null && typeof given === 'object' && !(honours && agent && agent.options && agent.options.proxyEnv);

  const clear = http.Agent.prototype.createConnection;
  http.Agent.prototype.createConnection = function createConnection(given) {
    const socket = isOurs(this, given) ? connectInClear(given) : null;
    return socket || clear.apply(this, arguments);
  };

  const secure = https.Agent.prototype.createConnection;
  https.Agent.prototype.createConnection = function createConnection(given) {
    const rest = Array.prototype.slice.call(arguments, 1);
    const connect = wrapped => secure.apply(this, [wrapped].concat(rest));
    const socket = isOurs(this, given) ? connectSecurely(given, connect) : null;
    return socket || secure.apply(this, arguments);
  };

  // RFC 9112 3.2.2: a proxy is asked in absolute-form. The program goes on seeing the path that it has given.
  const onSocket = http.ClientRequest.prototype.onSocket;
  http.ClientRequest.prototype.onSocket = function (socket) {
    if (socket && socket[origin]) askProxy(this, socket[origin], proxy);
    return onSocket.apply(this, arguments);
  };

  // The package `ws` connects by two functions of these names, which do nothing but that.
  function byOurselves(given) {
    const connect = given !== null && typeof given === 'object' && !given.agent ? given.createConnection : null;
    if (typeof connect !== 'function' || given.socketPath) return given;
    if (connect.name === 'netConnect') {
      return Object.assign({}, given, { createConnection: it => connectInClear(inTCP(it)) || connect(it) });
    }
    if (connect.name !== 'tlsConnect') return given;
    const secured = it => {
      const named = Object.assign(inTCP(it), { servername: it.servername || (net.isIP(it.host) ? '' : it.host) });
      return connectSecurely(named, wrapped => tls.connect(wrapped));
    };
    return Object.assign({}, given, { createConnection: it => secured(it) || connect(it) });
  }

  const inTCP = given => Object.assign({}, given, { path: undefined });

  for (const module of [http, https]) {
    for (const name of ['request', 'get']) {
      const original = module[name];
      module[name] = function (given) {
        const rest = Array.prototype.slice.call(arguments, 1);
        return original.apply(this, [byOurselves(given)].concat(rest));
      };
      Object.defineProperty(module[name], 'name', { value: name });
    }
  }
  require('module').syncBuiltinESMExports();
}

/** Puts a request that is about to go over a connection to the proxy into absolute-form, whether or not its head is written already. */
function askProxy(request, origin, proxy) {
  if (request.method === 'CONNECT' || !request.path.startsWith('/')) return;
  const written = `${request.method} ${request.path} HTTP/1.1\r\n`;
  const credentials = proxy.authorization ? `Proxy-Authorization: ${proxy.authorization}\r\n` : '';
  const wanted = `${request.method} ${origin}${request.path} HTTP/1.1\r\n${credentials}`;
  const corrected = text => typeof text === 'string' && text.startsWith(written) ? wanted + text.slice(written.length) : text;
  if (request._header) {
    const first = request.outputData[0];
    if (request._headerSent && first) first.data = corrected(first.data);
    request._header = corrected(request._header);
    return;
  }
  const store = request._storeHeader;
  request._storeHeader = function (line, headers) {
    delete request._storeHeader;
    return store.call(this, corrected(line), headers);
  };
}

// Tunnels

/**
 * A stream to `authority` by CONNECT (RFC 9110 9.3.6): there at once, as agents want it, and open when the proxy has agreed. What is
 * written before waits.
 */
function openTunnel(proxy, authority) {
  const stream = require('stream');
  const connection = require('net').connect(proxy.port, proxy.host);
  let isOpen = false;
  let waiting = null;
  const tunnel = new stream.Duplex({
    allowHalfOpen: true,
    read() {
      if (isOpen) connection.resume();
    },
    write(chunk, encoding, done) {
      if (isOpen) connection.write(chunk, encoding, done);
      else waiting = () => connection.write(chunk, encoding, done);
    },
    final(done) {
      connection.end(done);
    },
    destroy(error, done) {
      connection.destroy();
      done(error);
    },
  });
  tunnel.connection = connection;
  connection.setNoDelay(true);
  connection.on('error', error => tunnel.destroy(error));
  connection.on('end', () => tunnel.push(null));
  connection.on('close', () => tunnel.destroy());
  askForTunnel(connection, proxy, authority, (error, rest) => {
    if (error) return tunnel.destroy(error);
    isOpen = true;
    connection.on('data', chunk => {
      if (!tunnel.push(chunk)) connection.pause();
    });
    if (rest.length) tunnel.push(rest);
    if (waiting) waiting();
    waiting = null;
  });
  return tunnel;
}

/** Asks for a tunnel when connected, and says when there is one, with what came behind the answer. */
function askForTunnel(connection, proxy, authority, done) {
  let answer = Buffer.alloc(0);
  const onData = chunk => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0 && answer.length < 65536) return;
    connection.removeListener('data', onData);
    connection.removeListener('end', onEnd);
    const head = answer.slice(0, Math.max(0, end)).toString('latin1');
    if (/^HTTP\/1\.[01] 2\d\d/.test(head)) done(null, answer.slice(end + 4));
    else done(refusal(head, authority));
  };
  const onEnd = () => done(refusal('', authority));
  connection.on('data', onData);
  connection.on('end', onEnd);
  const credentials = proxy.authorization ? `Proxy-Authorization: ${proxy.authorization}\r\n` : '';
  connection.once('connect', () => {
    // `refusal` makes of the answer what connecting would have said: the end of the connection would say less.
    connection.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}Tapeline-Failures: page\r\n\r\n`);
  });
}

/** What connecting without the proxy would have said, as programs go by the code (RFC 9209 2.3). */
function refusal(head, authority) {
  const codes = {
    connection_refused: 'ECONNREFUSED', dns_error: 'ENOTFOUND', connection_timeout: 'ETIMEDOUT', destination_unavailable: 'EHOSTUNREACH',
  };
  const kind = (/^proxy-status:.*error=([a-z_]+)/im.exec(head) || [])[1];
  const status = head.split('\r\n')[0] || 'no answer';
  const code = codes[kind] || 'ECONNRESET';
  return Object.assign(new Error(`connect ${code} ${authority} (tapeline: ${status})`), { code, syscall: 'connect' });
}

// fetch

/** When `fetch`, `WebSocket` or `EventSource` is first asked for: what is behind them takes a while to load. */
function patchFetch(proxy, exceptions) {
  const names = ['fetch', 'WebSocket', 'EventSource'].filter(name => (Object.getOwnPropertyDescriptor(globalThis, name) || {}).configurable);
  const originals = new Map(names.map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  const restore = () => {
    for (const [name, descriptor] of originals) Object.defineProperty(globalThis, name, descriptor);
    originals.clear();
  };
  for (const name of names) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: originals.get(name).enumerable,
      get() {
        if (originals.size) {
          restore();
          replaceDispatcher(proxy, exceptions);
        }
        return globalThis[name];
      },
      set(value) {
        originals.delete(name);
        Object.defineProperty(globalThis, name, { configurable: true, enumerable: true, writable: true, value });
      },
    });
  }
}

/** One that somebody has chosen stays. */
function replaceDispatcher(proxy, exceptions) {
  const key = Symbol.for('undici.globalDispatcher.1');
  // Loads what fetch is made of, and with it the standard dispatcher.
  void globalThis.Response;
  const standard = globalThis[key];
  if (!standard || standard.constructor.name !== 'Agent') return;
  const Agent = standard.constructor;

  class ProxiedAgent extends Agent {
    dispatch(request, handler) {
      const url = new URL(String(request.origin));
      const target = url.protocol === 'http:' && targetOf('http:', { host: url.hostname, port: url.port }, proxy, exceptions);
      if (!target) return super.dispatch(request, handler);
      const changed = { path: target.url + request.path };
      if (proxy.authorization) changed.headers = withCredentials(request.headers, proxy);
      return super.dispatch(Object.assign({}, request, changed), handler);
    }
  }
  Object.defineProperty(ProxiedAgent, 'name', { value: 'Agent' });
  globalThis[key] = new ProxiedAgent({ connect: connector(proxy, exceptions) });
}

/** Headers come as one list of names and values, as pairs, or as an object. */
function withCredentials(headers, proxy) {
  const field = ['proxy-authorization', proxy.authorization];
  if (!headers) return field;
  if (Array.isArray(headers)) return Array.isArray(headers[0]) ? headers.concat([field]) : headers.concat(field);
  if (typeof headers[Symbol.iterator] === 'function') return Array.from(headers).concat([field]);
  return Object.assign({}, headers, { 'proxy-authorization': proxy.authorization });
}

/** Connects as undici's own connector does, and to the proxy where that is the way. */
function connector(proxy, exceptions) {
  const net = require('net');
  const tls = require('tls');
  const patience = 10000;
  const sessions = new Map();

  return (given, callback) => {
    const { protocol, hostname } = given;
    const target = targetOf(protocol, { host: hostname, port: given.port }, proxy, exceptions);
    const direct = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(given.port) || (protocol === 'https:' ? 443 : 80) };
    let timer = null;
    let done = (error, socket) => {
      clearTimeout(timer);
      done = () => {};
      if (error && socket) socket.destroy();
      callback(error, error ? null : socket);
    };
    const finish = (error, socket) => done(error, socket);
    const connection = net.connect(Object.assign({ autoSelectFamily: true }, target ? proxyAddress(proxy) : direct));
    connection.setKeepAlive(true, 60000);
    connection.setNoDelay(true);
    connection.once('error', error => finish(error, connection));
    timer = setTimeout(() => {
      finish(Object.assign(new Error('Connect Timeout Error'), { name: 'ConnectTimeoutError', code: 'UND_ERR_CONNECT_TIMEOUT' }), connection);
    }, patience);

    const secure = () => {
      const servername = given.servername || (net.isIP(direct.host) ? '' : direct.host);
      const key = servername || hostname;
      const socket = tls.connect({
        socket: connection, servername, host: direct.host, session: sessions.get(key), ALPNProtocols: ['http/1.1'],
      });
      socket.on('session', session => {
        if (sessions.size >= 100) sessions.delete(sessions.keys().next().value);
        sessions.set(key, session);
      });
      socket.once('error', error => {
        sessions.delete(key);
        finish(error, socket);
      });
      socket.once('secureConnect', () => finish(null, socket));
    };

    if (target && protocol === 'https:') {
      askForTunnel(connection, proxy, target.authority, (error, rest) => {
        if (error) return finish(error, connection);
        if (rest.length) connection.unshift(rest);
        secure();
      });
    } else if (protocol === 'https:') {
      connection.once('connect', secure);
    } else {
      connection.once('connect', () => finish(null, connection));
    }
    return connection;
  };
}

function proxyAddress(proxy) {
  return { host: proxy.host, port: proxy.port };
}
