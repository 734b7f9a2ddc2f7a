// What a query can ask of an exchange. A reader returns a text, a number, a truth value, several of them, or nothing.

function known(value) {
  return value >= 0 ? value : undefined;
}

function mediaType(text) {
  return String(text ?? '')
    .split(';')[0]
    .trim()
    .toLowerCase();
}

/** The spelling of the log, and the number that all spellings of a version have. */
function versionValues(spelling) {
  const number = versionNumber(spelling);
  return number === undefined ? (spelling ?? undefined) : [String(spelling), number];
}

/** A text of a URL as in the log, and as people write it: escaped UTF-8 beyond ASCII, and the escaped blank, decoded. */
function readableURL(text) {
  if (!text.includes('%')) return text;
  const readable = text.replace(/(?:%(?:[89a-f][\da-f]|20))+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
  return readable === text ? text : [text, readable];
}

function valuesNamed(list, name) {
  const wanted = name.toLowerCase();
  return (list ?? []).filter((item) => String(item.name).toLowerCase() === wanted).map(({ value }) => value);
}

const queryFields = {
  number: ['plain', (exchange) => exchange.number],
  method: ['text', (exchange) => exchange.method],
  url: ['text', (exchange) => readableURL(exchange.url)],
  scheme: ['text', (exchange) => exchange.scheme || undefined],
  host: ['text', (exchange) => exchange.host || undefined],
  port: ['plain', (exchange) => exchange.port],
  origin: ['text', (exchange) => exchange.origin || undefined],
  path: ['text', (exchange) => readableURL(exchange.path)],
  status: ['plain', (exchange) => exchange.status],
  'status.text': ['text', (exchange) => exchange.entry.response.statusText],
  version: ['any', (exchange) => versionValues(exchange.entry.response.httpVersion)],
  mime: ['text', (exchange) => exchange.mime],
  type: ['text', (exchange) => exchange.kind],
  page: ['text', ({ page }) => (page === null ? undefined : [capture.pages.get(page)?.title || page, page])],
  pageref: ['text', ({ page }) => page ?? undefined],
  start: ['date', (exchange) => exchange.entry.startedDateTime],
  ip: ['text', (exchange) => exchange.ip ?? undefined],
  connection: ['text', (exchange) => exchange.connection ?? undefined],
  comment: ['text', (exchange) => exchange.entry.comment],
  time: ['duration', (exchange) => known(exchange.time)],
  total: ['duration', (exchange) => known(exchange.total)],
  'req.size': ['size', (exchange) => known(exchange.requestSize)],
  'req.head.size': ['size', (exchange) => known(exchange.entry.request.headersSize)],
  'req.body': ['text', (exchange) => bodyText(exchange, 'request')],
  'req.mime': ['text', (exchange) => exchange.entry.request.postData && mediaType(exchange.entry.request.postData.mimeType)],
  'req.version': ['any', (exchange) => versionValues(exchange.version)],
  'resp.size': ['size', (exchange) => known(exchange.responseSize)],
  'resp.head.size': ['size', (exchange) => known(exchange.entry.response.headersSize)],
  'resp.body': ['text', (exchange) => bodyText(exchange, 'response')],
  'content.size': ['size', (exchange) => known(exchange.contentSize)],
  redirect: ['text', (exchange) => exchange.entry.response.redirectURL],
  error: ['text', (exchange) => exchange.failureText || undefined],
  'error.message': ['text', (exchange) => exchange.failure?.message || undefined],
  'error.origin': ['text', (exchange) => exchange.failure?.origin || undefined],
  'error.phase': ['text', (exchange) => exchange.failure?.phase || undefined],
  'error.kind': ['text', (exchange) => exchange.failure?.kind || undefined],
  ended: ['text', (exchange) => exchange.ended ?? undefined],
  changed: ['flag', (exchange) => exchange.entry._changes.length > 0],
  stream: ['plain', ({ entry }) => entry._http2?.streamId ?? entry._http2?.clientStreamId],
  reset: ['text', ({ entry }) => entry._http2?.reset?.code],
  grpc: ['text', ({ entry }) => entry._grpc && callOutcome(entry._grpc)],
  'grpc.messages': ['plain', ({ entry }) => entry._grpc && callMessageCount(entry._grpc)],
  reused: ['flag', (exchange) => exchange.isReused],
  server: ['duration', (exchange) => serverTotal(exchange)],
  trace: ['text', ({ entry }) => traceID(entry)],
  // A page is of one capture, and its readers need not know where the capture was.
  file: ['text', () => undefined],
  directory: ['text', () => undefined],
};
for (const phase of phaseNames) queryFields[phase] = ['duration', (exchange) => known(exchange[phase])];
/** HAR's, which has the parts of client and proxy. */
queryFields['timings.blocked'] = [
  'duration',
  ({ blocked, apart }) => known(apart > 0 ? roundedToNanoseconds(blocked + apart) : blocked),
];

const queryFieldsByName = {
  'req.header': (entry, name) => valuesNamed(entry.request.headers, name),
  'resp.header': (entry, name) => valuesNamed(entry.response.headers, name),
  'req.cookie': (entry, name) => valuesNamed(entry.request.cookies, name),
  'resp.cookie': (entry, name) => valuesNamed(entry.response.cookies, name),
  query: (entry, name) => valuesNamed(entry.request.queryString, name),
  'req.param': (entry, name) => valuesNamed(entry.request.postData?.params, name),
};

/** Short names for members that tapeline adds to HAR. */
const queryAbbreviations = {
  tls: '_tls',
  'client.tls': '_clientTLS',
  tcp: '_tcp.server',
  'client.tcp': '_tcp.client',
  overhead: '_overhead',
  tunnel: '_tunnel',
  http2: '_http2',
  grpc: '_grpc',
  reset: '_http2.reset',
  clock: '_clock',
};

/** How the members of an entry begin, by their path in the log. */
const queryOwners = { req: 'request', resp: 'response', content: 'response.content' };

/** The fields by their paths in the log. */
const queryAliases = {
  startedDateTime: 'start',
  serverIPAddress: 'ip',
  'request.method': 'method',
  'request.url': 'url',
  'request.httpVersion': 'req.version',
  'request.headersSize': 'req.head.size',
  'request.bodySize': 'req.size',
  'request.postData.mimeType': 'req.mime',
  'request.postData.text': 'req.body',
  'response.status': 'status',
  'response.statusText': 'status.text',
  'response.httpVersion': 'version',
  'response.redirectURL': 'redirect',
  'response.headersSize': 'resp.head.size',
  'response.bodySize': 'resp.size',
  'response.content.size': 'content.size',
  'response.content.mimeType': 'mime',
  'response.content.text': 'resp.body',
  'request.headers': 'req.header',
  'response.headers': 'resp.header',
  'request.cookies': 'req.cookie',
  'response.cookies': 'resp.cookie',
  'request.queryString': 'query',
  'request.postData.params': 'req.param',
};
for (const phase of phaseNames) {
  if (!phasesApart.includes(phase) && phase !== 'blocked') queryAliases[`timings.${phase}`] = phase;
}

const lowercaseFields = new Set(['host', 'scheme', 'origin', 'mime', 'req.mime']);

/** @returns `{ kind, read, isLowercase }`, or nothing for a name that no field has */
function queryField(name, key) {
  const short = Object.hasOwn(queryAliases, name) ? queryAliases[name] : name;
  if (key !== undefined) {
    const read = Object.hasOwn(queryFieldsByName, short) && queryFieldsByName[short];
    return read ? { kind: 'any', read: (exchange) => read(exchange.entry, key) } : undefined;
  }
  if (Object.hasOwn(queryFields, short)) {
    const [kind, read] = queryFields[short];
    return { name: short, kind, read, isLowercase: lowercaseFields.has(short) };
  }
  for (const [prefix, long] of Object.entries(queryAbbreviations)) {
    if (name === prefix || name.startsWith(`${prefix}.`)) return memberField(long + name.slice(prefix.length));
  }
  if (/^server\../.test(name)) return { kind: 'duration', read: ({ entry }) => serverDuration(entry, name.slice(7)) };
  const [, owner, path] = /^(req|resp|content)\.(_.+)$/.exec(name) ?? [];
  if (path) return memberField(`${queryOwners[owner]}.${path}`);
  return /^(_|(request|response|timings|cache)\.)./.test(name) ? memberField(name) : undefined;
}

const hostPort = ['host has no port', 'use origin, or port beside host'];

/** A name and a port: an address of IPv6 has more colons, and only hexadecimal digits before the first. */
function namesPort(text) {
  const [, name] = /^([^:]*):[\d*]+$/.exec(text) ?? [];
  return name !== undefined && /[.g-z]/i.test(name);
}

/** Why the field can never be equal to the text, and what to write: `impossibility` in Swift. */
function impossibility({ name }, text) {
  if (!text) return undefined;
  if (name === 'host') {
    if (text.includes('/')) return ['host has no scheme and no path', 'use origin or url, or write the name alone'];
    if (text.startsWith('[')) return ['host has no brackets', 'write the address alone; use origin for the port'];
    return namesPort(text) ? hostPort : undefined;
  }
  if (name === 'scheme' && text.includes(':')) return ['a scheme has no colon', `write "${text.split(':')[0]}"`];
  if (name === 'origin') return originImpossibility(text);
  if (name === 'path' && text.includes('?')) return ['a path has no query', 'use url, or query["…"]'];
  if (name === 'path' && !text.startsWith('/')) return ['a path begins with /', `write "/${text}", or ~ for a part of the path`];
  if ((name === 'mime' || name === 'req.mime') && text.includes(';')) {
    return ['a media type has no parameters here', `write "${text.split(';')[0]}"`];
  }
  const types = capture.header.types.map(({ key }) => key);
  if (name === 'type' && !types.includes(text)) return ['no exchange has this type', `the types are ${types.join(', ')}`];
  return undefined;
}

/** The spelling of a method that was probably meant: methods are case-sensitive, and people are not. */
function usualSpelling(name, text) {
  const upper = text.toUpperCase();
  return name === 'method' && /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)$/.test(upper) ? upper : text;
}

function originImpossibility(text) {
  const [, scheme, authority] = /^([^]*?):\/\/([^]*)$/.exec(text) ?? [];
  if (scheme === undefined) return ['an origin begins with its scheme', `write "https://${text}", or use host`];
  if (authority.includes('/')) return ['an origin has no path', `write "${scheme}://${authority.split('/')[0]}"`];
  const standard = { http: ':80', ws: ':80', https: ':443', wss: ':443' }[scheme.toLowerCase()];
  if (!standard || !authority.endsWith(standard)) return undefined;
  return ['an origin has no default port', `write "${text.slice(0, -standard.length)}"`];
}

function patternImpossibility({ name }, pattern) {
  return name === 'host' && namesPort(pattern.replace(/\$$/, '')) ? hostPort : undefined;
}

/** What stands in the log at that path. */
function memberField(path) {
  const names = path.split('.').filter(Boolean);
  return { kind: 'any', read: (exchange) => memberAt(exchange.entry, names) };
}

/** Where an array lies on the way, what stands there in each of its elements. */
function memberAt(value, names) {
  if (Array.isArray(value)) {
    const found = value.map((one) => memberAt(one, names)).filter((one) => one !== undefined);
    return !names.length || found.length ? found : undefined;
  }
  if (!names.length) return value ?? undefined;
  return value && Object.hasOwn(Object(value), names[0]) ? memberAt(value[names[0]], names.slice(1)) : undefined;
}

function bodyText(exchange, side) {
  const body = exchange.body(side);
  if (!body || !body.text) return undefined;
  return body.isBase64 ? new TextDecoder().decode(bytesOfBase64(body.text) ?? new Uint8Array()) : body.text;
}
