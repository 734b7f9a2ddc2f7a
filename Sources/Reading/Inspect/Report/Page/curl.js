// The curl command that sends a recorded request again, as `tapeline show --curl` prints it. For sh, bash, zsh and fish.
// The capture may be a stranger's: what curl would take for something else than part of a request is refused.

// Made by curl itself from the URL and the body, or meant for the proxy.
const derivedFields = new Set(['content-length', 'proxy-connection', 'proxy-authorization']);

/** Null where there is none; `curlRefusal` says why. */
function curlCommand(exchange) {
  if (curlRefusal(exchange) !== null) return null;
  const { request } = exchange.entry;
  const body = exchange.body('request');
  const hasBody = Boolean(body?.text);
  const pipedBody =
    hasBody && (body.isBase64 || hasHiddenControls(body.text) || body.text.length > 100 * 1024)
      ? body.isBase64
        ? canonicalBase64(body.text)
        : base64Text(body.text)
      : null;
  const options = [...targetOptions(request, hasBody), ...fieldOptions(request, hasBody)];
  if (hasBody) options.push(pipedBody === null ? `--data-raw ${shellQuoted(body.text)}` : '--data-binary @-');
  const command = ['curl', ...options].join(' \\\n  ');
  return pipedBody === null ? command : `printf %s ${shellQuoted(pipedBody)} | base64 -d | ${command}`;
}

/** Why curl, or who reads what curl sends, would see something else than this request; null where they would not. */
function curlRefusal(exchange) {
  const { request } = exchange.entry;
  if (exchange.isTunnel) return 'it is a tunnel, in which no request was seen';
  if (request.method === 'CONNECT') return 'it opens a WebSocket over HTTP/2, which curl cannot';
  if (!/^https?:\/\//i.test(request.url)) return 'its URL does not begin with http:// or https://';
  if (/[\u0000-\u001F\u007F-\u009F]/.test(request.url)) return 'its URL has control characters';
  if (!isToken(request.method)) return 'its method is not an HTTP method';
  for (const { name, value } of sentFields(request)) {
    if (!isToken(name)) return `"${name}" is not the name of a header`;
    if (/[\n\r\0]/.test(value)) return `its header ${name} has a line break or a NUL, which HTTP cannot carry`;
  }
  const body = exchange.body('request');
  if (body?.text && body.isBase64 && canonicalBase64(body.text) === null) return 'its body is not the base64 that it says';
  return null;
}

/** Whether the log or the page has less of the request's body than was sent. */
function lacksRequestBody(exchange) {
  const body = exchange.body('request');
  if (!body?.text) return exchange.requestSize > 0;
  return body.leftOut > 0 || Boolean(exchange.entry.request.postData?._truncated);
}

/** RFC 9110 5.6.2. */
function isToken(text) {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(text);
}

/** With its padding and without line breaks; null where it is no base64. */
function canonicalBase64(text) {
  try {
    return btoa(atob(text));
  } catch {
    return null;
  }
}

function targetOptions({ method, url, httpVersion }, hasBody) {
  const options = ["--proto '=http,https'"];
  if (method === 'HEAD' && !hasBody) options.push('--head');
  else if (method !== (hasBody ? 'POST' : 'GET')) options.push(`--request ${shellQuoted(method)}`);
  const version = versionNumber(httpVersion);
  const isProtected = /^https:/i.test(url);
  if (version === 1) options.push('--http1.0');
  else if (version === 1.1 && isProtected) options.push('--http1.1');
  else if (version === 2) options.push(isProtected ? '--http2' : '--http2-prior-knowledge');
  // curl reads braces and brackets as patterns, and resolves dot segments, unless told not to.
  if (/[[\]{}]/.test(url)) options.push('--globoff');
  if (url.includes('/.')) options.push('--path-as-is');
  options.push(`--url ${shellQuoted(url)}`);
  return options;
}

/** Those that the command names. */
function sentFields({ headers, url, httpVersion }) {
  const authority = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1].toLowerCase();
  const sent = headers.filter(({ name, value }) => {
    const lower = name.toLowerCase();
    // A Host that differs from the URL was sent on purpose. Names that begin with a colon are HTTP/2's.
    return !lower.startsWith(':') && !derivedFields.has(lower) && !(lower === 'host' && value.toLowerCase() === authority);
  });
  return versionNumber(httpVersion) >= 2 ? joiningCrumbs(sent) : sent;
}

/** HTTP/2 may divide cookies into several lines; HTTP/1.1, to which curl may have to fall back, has one (RFC 9113 8.2.3). */
function joiningCrumbs(fields) {
  const isCookie = ({ name }) => name.toLowerCase() === 'cookie';
  const crumbs = fields.filter(isCookie);
  if (crumbs.length < 2) return fields;
  const joined = { name: crumbs[0].name, value: crumbs.map(({ value }) => value).join('; ') };
  return fields.filter((field) => !isCookie(field) || field === crumbs[0]).map((field) => (field === crumbs[0] ? joined : field));
}

function fieldOptions(request, hasBody) {
  const kept = sentFields(request);
  const present = new Set(kept.map(({ name }) => name.toLowerCase()));
  const defaults = hasBody ? ['User-Agent', 'Accept', 'Content-Type', 'Expect'] : ['User-Agent', 'Accept'];
  const removed = defaults.filter((name) => !present.has(name.toLowerCase())).map((name) => `--header '${name}:'`);
  // `Name;` is curl's spelling of a field with an empty value.
  const fields = kept.map(({ name, value }) => `--header ${shellQuoted(/^[ \t]*$/.test(value) ? `${name};` : `${name}: ${value}`)}`);
  return [...fields, ...removed];
}

const hiddenControls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/;

function hasHiddenControls(text) {
  return hiddenControls.test(text);
}

/**
 * One word of a command line, the same for sh (dash), bash, zsh and fish.
 *
 * Between single quotes these shells change nothing, but fish a backslash: backslashes and quotes stand outside. What could drive a
 * terminal is spelled by `printf` in octal; `$'…'` is unknown to dash. Interactive bash before 5.0 forgets the quotes at the end of a
 * line, and would look up history behind a `!` in the next. A NUL is left out: no argument can hold one.
 */
function shellQuoted(text) {
  if (/^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:@%+,-]*$/.test(text)) return text;
  const hidesMarks = text.includes('\n');
  const closing = { bare: '', quotes: "'", substitution: `')"` };
  const opening = { bare: '', quotes: "'", substitution: `"$(printf '` };
  let word = '';
  let context = 'bare';
  const enter = (next) => {
    if (next === context) return;
    word += closing[context] + opening[next];
    context = next;
  };
  for (const character of text) {
    if (character === '\0') continue;
    if (character === "'" || character === '\\') {
      enter('bare');
      word += `\\${character}`;
    } else if (hasHiddenControls(character) || (hidesMarks && character === '!')) {
      enter('substitution');
      for (const byte of new TextEncoder().encode(character)) word += `\\${byte.toString(8).padStart(3, '0')}`;
    } else {
      enter('quotes');
      word += character;
    }
  }
  return word === '' ? "''" : word + closing[context];
}
