// The heads of request and response.

/** A titled part of a tab that can be folded. */
function section(title, actions, ...content) {
  return element(
    'details',
    { class: 'section', open: true },
    element('summary', {}, element('h2', {}, title)),
    // Not in the summary, which is a button itself.
    element('div', { class: 'section-actions' }, actions),
    ...content,
  );
}

/** Names and values; what is `undefined` is left out. */
function factTable(facts) {
  const rows = facts
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, visibleText(String(name))),
        element('td', {}, value instanceof Node ? value : visibleText(String(value))),
      ),
    );
  return element('table', { class: 'facts' }, element('tbody', {}, rows));
}

/** Only what a browser fetches is a link, and never is it told where from. */
function linkTo(url) {
  if (!/^https?:\/\//i.test(url)) return visibleText(url);
  return element('a', { href: url, target: '_blank', rel: 'noreferrer noopener' }, visibleText(url));
}

function linesSection(title, lines) {
  if (!lines.length) return null;
  const text = () => lines.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return section(
    `${title} (${lines.length})`,
    copyButton('Copy', text),
    factTable(lines.map(({ name, value }) => [name, value])),
  );
}

function cookieFacts(cookies) {
  return cookies.map((cookie) => {
    const attributes = [
      cookie.domain && `domain ${cookie.domain}`,
      cookie.path && `path ${cookie.path}`,
      cookie.expires && `until ${cookie.expires}`,
      cookie.httpOnly && 'HttpOnly',
      cookie.secure && 'Secure',
      cookie.sameSite && `SameSite=${cookie.sameSite}`,
    ]
      .filter(Boolean)
      .join(' · ');
    return [
      cookie.name,
      element('span', {}, visibleText(cookie.value), attributes && element('small', {}, ` ${visibleText(attributes)}`)),
    ];
  });
}

/** The version of HTTP; of both messages, if they differ. */
function protocolText(request, response) {
  const [asked, answered] = [request, response].map(({ httpVersion }) => versionName(httpVersion));
  if (!answered || answered === 'unknown') return asked;
  return asked && asked !== answered ? `${asked}, answered in ${answered}` : answered;
}

function headersTab(exchange) {
  const { request, response, comment, _informational: informational, _anomalies: anomalies, ...entry } = exchange.entry;
  const general = [
    ['URL', linkTo(request.url)],
    ['Method', request.method],
    ['Status', exchange.status ? `${exchange.status} ${response.statusText ?? ''}` : 'none'],
    ['Answered by the proxy', entry._localStatus],
    ['Protocol', protocolText(request, response)],
    ['Server', exchange.ip && `${exchange.ip}${exchange.port ? `, port ${exchange.port}` : ''}`],
    ['Started', dateText(exchange.start)],
    ['Page', exchange.page && (capture.pages.get(exchange.page)?.title ?? exchange.page)],
    ['Redirects to', response.redirectURL && linkTo(response.redirectURL)],
    ['Sizes', sizesText(exchange, request, response)],
    ['Initiator', initiatorText(entry._initiator)],
    ['Attempts', entry._attempts],
    ['Replaced secrets', entry._redacted],
    ['Remark', comment],
  ];
  return [
    section('General', [copyButton('Copy URL', () => request.url)], factTable(general)),
    listSection('Changed by rules', entry._injected.map(injectionText)),
    listSection('Changed by the proxy', entry._changes.map(changeText)),
    linesSection('Response headers', response.headers),
    linesSection('Response trailers', response._trailers),
    linesSection('Request pseudo-fields', request._pseudo),
    linesSection('Request headers', request.headers),
    linesSection('Request trailers', request._trailers),
    linesSection('Query', request.queryString),
    request.cookies.length
      ? section(`Request cookies (${request.cookies.length})`, [], factTable(cookieFacts(request.cookies)))
      : null,
    response.cookies.length
      ? section(`Response cookies (${response.cookies.length})`, [], factTable(cookieFacts(response.cookies)))
      : null,
    ...informational.map((one) =>
      section(
        `Before it: ${visibleText(`${one.status} ${one.statusText ?? ''}`)}`,
        [],
        factTable(pairsIn(one.headers).map(({ name, value }) => [name, value])),
      ),
    ),
    listSection('Not as the grammar has it', anomalies.map(String)),
  ];
}

function listSection(title, texts) {
  if (!texts.length) return null;
  const lines = texts.map((text) => element('li', {}, visibleText(text)));
  return section(`${title} (${texts.length})`, [], element('ul', {}, lines));
}

/** The words of `HAREntry.injections` in Swift. */
function injectionText({ rule, action, ms }) {
  return `${action} (${rule})${ms > 0 ? `, ${durationText(Number(ms))}` : ''}`;
}

/** The words of `RecordedChange` in Swift. */
function changeText({ leg, change, name, from, to, trailer }) {
  switch (name) {
    case ':alpn':
      return `ALPN: client offered ${from ?? 'nothing'}; we spoke ${to ?? 'nothing'}`;
    case ':version':
      return `${leg}: HTTP version ${from ?? ''} sent on as ${to ?? ''}`;
    case ':status':
      return `${leg}: ${change} interim response ${from ?? to ?? ''}`;
    default: {
      const values = [from, to].filter((value) => value !== undefined && value !== null);
      return `${leg}: ${change} ${trailer === true ? 'trailer ' : ''}${name}${values.length ? `: ${values.join(' → ')}` : ''}`;
    }
  }
}

function sizesText({ requestSize, responseSize, contentSize }, request, response) {
  const head = ({ headersSize, _headersWire: wire }) => {
    if (headersSize >= 0) return `${byteText(headersSize)} head`;
    return wire >= 0 ? `${byteText(Number(wire))} compressed head` : null;
  };
  const sent = [head(request), requestSize >= 0 ? `${byteText(requestSize)} body` : null].filter(Boolean).join(' + ');
  const received = [head(response), responseSize >= 0 ? `${byteText(responseSize)} body` : null]
    .filter(Boolean)
    .join(' + ');
  const decoded = contentSize > 0 && contentSize !== responseSize ? `${byteText(contentSize)} decoded` : null;
  return [sent && `sent ${sent}`, received && `received ${received}`, decoded].filter(Boolean).join('; ');
}

/** Who asked, as browsers say it. */
function initiatorText(initiator) {
  if (!initiator || typeof initiator !== 'object') return undefined;
  return [initiator.type, initiator.url, initiator.lineNumber !== undefined && `line ${initiator.lineNumber}`]
    .filter(Boolean)
    .join(', ');
}
