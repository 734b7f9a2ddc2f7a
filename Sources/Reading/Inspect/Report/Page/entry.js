// An entry of the log in the shape that HAR gives it, whatever stands there: a log may hold anything.

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(list) {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Headers, cookies, parameters: objects with a name and a value. */
function pairsIn(list) {
  return objectsIn(list).map((pair) => ({ ...pair, name: String(pair.name ?? ''), value: String(pair.value ?? '') }));
}

/** What is of another shape than this is in the raw entry only. */
function shapedEntry(entry) {
  const [request, response] = [entry.request, entry.response].map((message) => (isObject(message) ? message : {}));
  const postData = isObject(request.postData) ? { ...request.postData, params: objectsIn(request.postData.params) } : undefined;
  const lists = (message) => ({
    headers: pairsIn(message.headers),
    cookies: pairsIn(message.cookies),
    _trailers: pairsIn(message._trailers),
    _pseudo: pairsIn(message._pseudo),
  });
  return {
    ...entry,
    request: {
      ...request,
      ...lists(request),
      url: String(request.url ?? ''),
      method: String(request.method ?? ''),
      queryString: pairsIn(request.queryString),
      postData,
    },
    response: {
      ...response,
      ...lists(response),
      redirectURL: String(response.redirectURL ?? ''),
      content: isObject(response.content) ? response.content : {},
    },
    _informational: objectsIn(entry._informational),
    _anomalies: Array.isArray(entry._anomalies) ? entry._anomalies : [],
    _changes: objectsIn(entry._changes),
    _injected: objectsIn(entry._injected),
    _chunks: piecesIn(entry._chunks),
    _webSocketMessages: objectsIn(entry._webSocketMessages),
    _http2: isObject(entry._http2)
      ? { ...entry._http2, reset: isObject(entry._http2.reset) ? entry._http2.reset : undefined }
      : undefined,
    _grpc: isObject(entry._grpc) ? { ...entry._grpc, messages: objectsIn(entry._grpc.messages) } : undefined,
    _events: isObject(entry._events) ? entry._events : undefined,
  };
}

/** Of HTTP, in any of its spellings: `HTTP/2`, `http/2.0`, `h2`. `RecordedVersion` in Swift. */
function versionNumber(spelling) {
  const text = String(spelling ?? '').toLowerCase();
  if (text === 'h2' || text === 'h2c') return 2;
  if (text === 'h3' || text.startsWith('h3-')) return 3;
  const [, digits] = /^http\/(\d(?:\.\d)?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** `HTTP/2` for all its spellings. */
function versionName(spelling) {
  const number = versionNumber(spelling);
  if (number === undefined) return String(spelling ?? '');
  return Number.isInteger(number) && number > 1 ? `HTTP/${number}` : `HTTP/${number.toFixed(1)}`;
}

/** How a gRPC call ended: the name of its status, else its number. */
function callOutcome({ status, statusName }) {
  return String(statusName ?? status ?? 'no status');
}

function callMessageCount({ requestMessages, responseMessages }) {
  return (Number(requestMessages) || 0) + (Number(responseMessages) || 0);
}
