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

/** How each field of `described.fields` is read. */
const queryReaders = {
  number: (exchange) => exchange.number,
  method: (exchange) => exchange.method,
  url: (exchange) => readableURL(exchange.url),
  scheme: (exchange) => exchange.scheme || undefined,
  host: (exchange) => exchange.host || undefined,
  port: (exchange) => exchange.port,
  origin: (exchange) => exchange.origin || undefined,
  path: (exchange) => readableURL(exchange.path),
  status: (exchange) => exchange.status,
  'status.text': (exchange) => exchange.entry.response.statusText,
  version: (exchange) => versionValues(exchange.entry.response.httpVersion),
  mime: (exchange) => exchange.mime,
  type: (exchange) => exchange.kind,
  page: ({ page }) => (page === null ? undefined : [capture.pages.get(page)?.title || page, page]),
  pageref: ({ page }) => page ?? undefined,
  start: (exchange) => exchange.entry.startedDateTime,
  ip: (exchange) => exchange.ip ?? undefined,
  connection: (exchange) => exchange.connection ?? undefined,
  comment: (exchange) => exchange.entry.comment,
  time: (exchange) => known(exchange.time),
  total: (exchange) => known(exchange.total),
  'req.size': (exchange) => known(exchange.requestSize),
  'req.head.size': (exchange) => known(exchange.entry.request.headersSize),
  'req.body': (exchange) => bodyText(exchange, 'request'),
  'req.mime': (exchange) => exchange.entry.request.postData && mediaType(exchange.entry.request.postData.mimeType),
  'req.version': (exchange) => versionValues(exchange.version),
  'resp.size': (exchange) => known(exchange.responseSize),
  'resp.head.size': (exchange) => known(exchange.entry.response.headersSize),
  'resp.body': (exchange) => bodyText(exchange, 'response'),
  'content.size': (exchange) => known(exchange.contentSize),
  redirect: (exchange) => exchange.entry.response.redirectURL,
  error: (exchange) => exchange.failureText || undefined,
  'error.message': (exchange) => exchange.failure?.message || undefined,
  'error.origin': (exchange) => exchange.failure?.origin || undefined,
  'error.phase': (exchange) => exchange.failure?.phase || undefined,
  'error.kind': (exchange) => exchange.failure?.kind || undefined,
  ended: (exchange) => exchange.ended ?? undefined,
  changed: (exchange) => exchange.entry._changes.length > 0,
  injected: (exchange) => exchange.isInjected,
  stream: ({ entry }) => entry._http2?.streamId ?? entry._http2?.clientStreamId,
  reset: ({ entry }) => entry._http2?.reset?.code,
  grpc: ({ entry }) => entry._grpc && callOutcome(entry._grpc),
  'grpc.messages': ({ entry }) => entry._grpc && callMessageCount(entry._grpc),
  events: (exchange) => streamTiming(exchange)?.count,
  'event.first': (exchange) => streamTiming(exchange)?.first,
  'event.gap': (exchange) => {
    const gaps = (streamTiming(exchange)?.gaps ?? []).map(({ time }) => time).concat(exchange.stream?.[4] ?? []);
    return gaps.length ? gaps : undefined;
  },
  'event.gap.p50': (exchange) => gapOf(streamTiming(exchange), 50),
  'event.gap.p99': (exchange) => gapOf(streamTiming(exchange), 99),
  'event.gap.max': (exchange) => gapOf(streamTiming(exchange), 100),
  'event.stalls': (exchange) => {
    const gaps = streamTiming(exchange)?.gaps ?? [];
    return gaps.length ? gaps.filter(({ time }) => time > stallTime).length : undefined;
  },
  'event.rate': (exchange) => streamTiming(exchange)?.rate,
  reused: (exchange) => exchange.isReused,
  server: (exchange) => serverTotal(exchange),
  trace: ({ entry }) => traceID(entry),
  operation: (exchange) => exchange.operation || undefined,
  // A page is of one capture, and its readers need not know where the capture was.
  file: () => undefined,
  directory: () => undefined,
};
for (const name of ['model', 'in', 'cached', 'out', 'reasoning', 'first', 'rate', 'stalls', 'stop', 'tools']) {
  queryReaders[`llm.${name}`] = ({ llm }) => llm?.[name];
}
const streamFields = ['events', 'event.first', 'event.gap.p50', 'event.gap.p99', 'event.gap.max', 'event.stalls', 'event.rate'];
for (const [place, name] of streamFields.entries()) {
  const ofEvents = queryReaders[name];
  queryReaders[name] = (exchange) => (exchange.stream ? (exchange.stream[place] ?? undefined) : ofEvents(exchange));
}
for (const phase of phaseNames) queryReaders[phase] = (exchange) => known(exchange[phase]);
/** HAR's, which has the parts of client and proxy. */
queryReaders['timings.blocked'] = ({ blocked, apart }) => known(apart > 0 ? roundedToNanoseconds(blocked + apart) : blocked);

const queryReadersByName = {
  'req.header': (entry, name) => valuesNamed(entry.request.headers, name),
  'resp.header': (entry, name) => valuesNamed(entry.response.headers, name),
  'req.cookie': (entry, name) => valuesNamed(entry.request.cookies, name),
  'resp.cookie': (entry, name) => valuesNamed(entry.response.cookies, name),
  query: (entry, name) => valuesNamed(entry.request.queryString, name),
  'req.param': (entry, name) => valuesNamed(entry.request.postData?.params, name),
};

/** How the members of an entry begin, by their path in the log. */
const queryOwners = { req: 'request', resp: 'response', content: 'response.content' };

/** @returns `{ kind, read, isLowercase }`, or nothing for a name that no field has */
function queryField(name, key) {
  const short = Object.hasOwn(described.aliases, name) ? described.aliases[name] : name;
  if (key !== undefined) {
    const read = Object.hasOwn(queryReadersByName, short) && queryReadersByName[short];
    return read ? { kind: 'any', read: (exchange) => read(exchange.entry, key) } : undefined;
  }
  if (Object.hasOwn(described.fields, short)) return { name: short, read: queryReaders[short], ...described.fields[short] };
  for (const [prefix, long] of Object.entries(described.abbreviations)) {
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
