// The curl command that sends a recorded request again, as `tapeline show --curl` prints it. For a POSIX shell.

// Made by curl itself from the URL and the body, or meant for the proxy.
const derivedFields = new Set(['content-length', 'proxy-connection', 'proxy-authorization']);

function curlCommand(exchange) {
  const { request } = exchange.entry;
  const body = exchange.body('request');
  const hasBody = Boolean(body?.text);
  const pipedBody =
    hasBody && (body.isBase64 || hasHiddenControls(body.text) || body.text.length > 100 * 1024)
      ? body.isBase64
        ? body.text
        : base64Text(body.text)
      : null;
  const options = [...targetOptions(request, hasBody), ...fieldOptions(request, hasBody)];
  if (hasBody) options.push(pipedBody === null ? `--data-raw ${shellQuoted(body.text)}` : '--data-binary @-');
  const command = ['curl', ...options].join(' \\\n  ');
  return pipedBody === null ? command : `printf %s ${shellQuoted(pipedBody)} | base64 -d | ${command}`;
}

function targetOptions({ method, url, httpVersion }, hasBody) {
  const options = [];
  if (method === 'HEAD' && !hasBody) options.push('--head');
  else if (method !== (hasBody ? 'POST' : 'GET')) options.push(`--request ${shellQuoted(method)}`);
  const version = String(httpVersion).toUpperCase();
  if (version === 'HTTP/1.0') options.push('--http1.0');
  else if (version === 'HTTP/1.1' && /^https:/i.test(url)) options.push('--http1.1');
  // curl reads braces and brackets as patterns, and resolves dot segments, unless told not to.
  if (/[[\]{}]/.test(url)) options.push('--globoff');
  if (url.includes('/.')) options.push('--path-as-is');
  options.push(shellQuoted(url));
  return options;
}

function fieldOptions({ headers, url }, hasBody) {
  const authority = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1].toLowerCase();
  const kept = headers.filter(({ name, value }) => {
    const lower = name.toLowerCase();
    // A Host that differs from the URL was sent on purpose. Names that begin with a colon are HTTP/2's.
    return !lower.startsWith(':') && !derivedFields.has(lower) && !(lower === 'host' && value.toLowerCase() === authority);
  });
  const present = new Set(kept.map(({ name }) => name.toLowerCase()));
  const defaults = hasBody ? ['User-Agent', 'Accept', 'Content-Type', 'Expect'] : ['User-Agent', 'Accept'];
  const removed = defaults.filter((name) => !present.has(name.toLowerCase())).map((name) => `--header '${name}:'`);
  // `Name;` is curl's spelling of a field with an empty value.
  const fields = kept.map(({ name, value }) => `--header ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  return [...fields, ...removed];
}

function hasHiddenControls(text) {
  return /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(text);
}

/** One word of a shell's command line. */
function shellQuoted(text) {
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(text)) return text;
  if (!hasHiddenControls(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escapes = { "'": "\\'", '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  const escaped = [...text].map((character) => {
    if (escapes[character]) return escapes[character];
    if (!hasHiddenControls(character)) return character;
    return [...new TextEncoder().encode(character)].map((octet) => `\\x${octet.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped.join('')}'`;
}
