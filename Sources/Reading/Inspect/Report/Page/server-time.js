// What servers say of their time, and the trace that a request belongs to. `ServerTime` and `RecordedTrace` in Swift.

/** The elements of a list, cut at commas outside quotation marks. */
function listElements(value) {
  return value.match(/(?:"(?:\\[^]|[^"\\])*(?:"|$)|[^",])+/g) ?? [];
}

/** The metrics of `Server-Timing`, in fields and trailers. */
function serverMetrics(entry) {
  const values = [...valuesNamed(entry.response.headers, 'server-timing'), ...valuesNamed(entry.response._trailers, 'server-timing')];
  return values.flatMap(listElements).flatMap((element) => {
    const [, name, rest] = /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*(;[^]*)?$/.exec(element) ?? [];
    if (name === undefined) return [];
    const parameters = (rest ?? '').matchAll(/;\s*([^=;]*?)\s*=\s*(?:"((?:\\[^]|[^"\\])*)"?[^;]*|([^;]*))/g);
    const [, , quoted, plain] = [...parameters].find(([, parameter]) => parameter.toLowerCase() === 'dur') ?? [];
    const text = (quoted ?? plain ?? '').trim();
    const duration = /^\d*\.?\d+(?:e[+-]?\d+)?$|^\d+\.$/i.test(text) ? Number(text) : undefined;
    return [{ name, duration }];
  });
}

function serverDuration(entry, name) {
  const wanted = name.toLowerCase();
  return serverMetrics(entry).find((metric) => metric.duration !== undefined && metric.name.toLowerCase() === wanted)?.duration;
}

/** `total` where the server has it, else the sum; the longest where the sum is more than the wait. */
function serverTotal({ entry, wait }) {
  const durations = serverMetrics(entry)
    .map(({ duration }) => duration)
    .filter((duration) => duration !== undefined);
  if (!durations.length) return undefined;
  const total = serverDuration(entry, 'total');
  if (total !== undefined) return total;
  const sum = durations.reduce((left, right) => left + right, 0);
  return wait >= 0 && sum > wait ? Math.max(...durations) : sum;
}

function traceID(entry) {
  const values = valuesNamed(entry.request.headers, 'traceparent');
  const [, version, id, parent, , more] =
    (values.length === 1 && /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(values[0])) || [];
  if (id === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return /^0+$/.test(id) || /^0+$/.test(parent) ? undefined : id;
}
