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
    _chunks: objectsIn(entry._chunks).filter(({ ts, bytes }) => typeof ts === 'number' && typeof bytes === 'number'),
    _webSocketMessages: objectsIn(entry._webSocketMessages),
    _http2: isObject(entry._http2)
      ? { ...entry._http2, reset: isObject(entry._http2.reset) ? entry._http2.reset : undefined }
      : undefined,
    _grpc: isObject(entry._grpc) ? { ...entry._grpc, messages: objectsIn(entry._grpc.messages) } : undefined,
    _events: isObject(entry._events) ? entry._events : undefined,
  };
}
