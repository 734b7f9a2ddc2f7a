// The listed exchanges as a file of their own: HAR, which other programs read.

/** Of the live page, which asks for each; a report has all. */
const mostSaved = 1000;

async function saveListed() {
  const chosen = state.listed.filter(({ isInFlight }) => !isInFlight).slice(0, feed.isLive ? mostSaved : Infinity);
  const pieces = [];
  for (const exchange of chosen) {
    const parts = await feed.parts(exchange);
    if (parts) pieces.push(`${pieces.length ? ',\n' : ''}${JSON.stringify(savedEntry(parts))}`);
  }
  if (!pieces.length) {
    toolbar.say('nothing to save');
    return;
  }
  const { title, version } = capture.header;
  const head = JSON.stringify({ version: '1.2', creator: { name: 'tapeline', version }, pages: savedPages() }).slice(0, -1);
  const file = new Blob([`{"log":${head},"entries":[\n`, ...pieces, '\n]}}\n'], { type: 'application/json' });
  const address = URL.createObjectURL(file);
  element('a', { href: address, download: `${title.replace(/\.har$|[^\w.-]+/g, '')}-${pieces.length}.har` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  const isAll = pieces.length === state.listed.length;
  toolbar.say(`saved ${isAll ? 'all' : 'the first'} ${countText(pieces.length, 'exchange', 'exchanges')}`);
}

/** With its bodies where they belong. What this page has not of them is counted, as a recorder does. */
function savedEntry({ entry, request, response }) {
  for (const [body, holder] of [[request, entry.request?.postData], [response, entry.response?.content]]) {
    if (!body || !holder) continue;
    holder.text = body.text ?? '';
    if (body.leftOut > 0) holder._truncated = (holder._truncated ?? 0) + body.leftOut;
  }
  return entry;
}

/** To the microsecond, as the log has it. */
function instantText(microseconds) {
  const seconds = Math.floor(microseconds / 1e6);
  const fraction = String(microseconds - seconds * 1e6).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

function savedPages() {
  return capture.header.pages.map(({ id, title, start, onContentLoad, onLoad }) => ({
    startedDateTime: instantText(start ?? capture.start ?? 0),
    id,
    title,
    pageTimings: { onContentLoad: onContentLoad ?? -1, onLoad: onLoad ?? -1 },
  }));
}
