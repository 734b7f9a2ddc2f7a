// What came and went piece by piece: the messages of a WebSocket or of a gRPC call, the events of an event stream.

const opcodeNames = { 0: 'continuation', 1: 'text', 2: 'binary', 8: 'close', 9: 'ping', 10: 'pong' };
/** In these, and in what says so, the log has bytes in base64. */
const byteOpcodes = new Set([2, 8, 9, 10]);
const messagesAtOnce = 500;
/** Bytes of a message that its line shows, where they are no text, and before the text that they are. */
const bytesInLine = 32;
const bytesBeforeText = 8;

function messagesTab(exchange) {
  const messages = exchange.entry._webSocketMessages;
  const { events } = exchange;
  const hasIDs = events.some(([, id]) => id);
  const dropped = exchange.entry._webSocketMessagesDropped;
  const leftOut = Number(exchange.entry._webSocketMessagesLeftOut) || 0;
  const call = exchange.entry._grpc;
  return [
    dropped
      ? element('p', { class: 'notes' }, element('span', {}, `${dropped} more passed; the capture has no content of them`))
      : null,
    leftOut ? element('p', { class: 'notes' }, element('span', {}, leftOutText(leftOut, 'earlier message'))) : null,
    ...(messages.length ? messageList(messages, (message) => messageLine(exchange, message), ({ data }) => String(data ?? '')).parts : []),
    ...(call ? callParts(exchange, call) : []),
    ...(events.length ? eventParts(exchange, events, hasIDs) : []),
  ];
}

function eventParts(exchange, events, hasIDs) {
  const list = messageList(events, (event) => eventLine(event, hasIDs), (event) => event.slice(1, 4).join(' '));
  const more = (exchange.stream?.[0] ?? 0) - events.length;
  const note = more > 0 ? element('p', { class: 'notes' }, element('span', {}, leftOutText(more, 'later event'))) : null;
  const { answer } = exchange;
  const text = answer ? section('Answer', [], bodyView({ text: answer, leftOut: 0, isBase64: false, mime: 'text/plain' })) : null;
  return [...streamSummary(exchange, list.reveal), text, note, ...list.parts];
}

/** What the live page was not told of an exchange, as it is a lot. */
function leftOutText(count, what) {
  return `${countText(count, `${what} is`, `${what}s are`)} in the log only`;
}

/**
 * The list, and the place where the whole of one of them is shown. `makeLine` makes the line of one, and what its click shows;
 * `textOf` says what is searched. `reveal` shows the one at a place.
 */
function messageList(all, makeLine, textOf) {
  let messages = all;
  const shown = element('div', { class: 'messages', role: 'list' });
  const content = element('div', { class: 'body-content' });
  const list = (start) => {
    const end = Math.min(start + messagesAtOnce, messages.length);
    for (const message of messages.slice(start, end)) {
      const { line, whole } = makeLine(message);
      line.addEventListener('click', () => {
        for (const other of shown.children) other.classList.toggle('chosen', other === line);
        content.replaceChildren(...whole());
      });
      shown.append(line);
    }
    if (end === messages.length) return;
    const more = element('button', { type: 'button', class: 'more' }, `${messages.length - end} more`);
    more.addEventListener('click', () => {
      more.remove();
      list(end);
    });
    shown.append(more);
  };
  list(0);
  const input = element('input', { type: 'search', placeholder: 'find', 'aria-label': 'Find among these' });
  const find = () => {
    const wanted = input.value.toLowerCase();
    messages = wanted ? all.filter((message) => textOf(message).toLowerCase().includes(wanted)) : all;
    shown.replaceChildren();
    list(0);
  };
  input.addEventListener('input', find);
  const reveal = (place) => {
    input.value = '';
    find();
    while (shown.querySelectorAll('.message').length <= place && shown.querySelector('.more')) shown.querySelector('.more').click();
    const line = shown.querySelectorAll('.message')[place];
    line?.scrollIntoView({ block: 'center' });
    line?.click();
  };
  return { parts: [all.length >= searchableEvents ? input : null, shown, content], reveal };
}

function messageLine(exchange, message) {
  const isSent = message.type === 'send';
  const isText = !byteOpcodes.has(message.opcode) && message._encoding !== 'base64';
  const data = String(message.data ?? '');
  const bytes = isText ? null : bytesOfBase64(data);
  const size = message._size ?? (bytes ?? new TextEncoder().encode(data)).length;
  const offset = exchange.start === null ? NaN : (message.time * 1e6 - exchange.start) / 1000;
  const close = message.opcode === 8 && bytes ? closeReason(bytes) : null;
  const preview = close ? closeText(close) : bytes ? bytePreview(bytes) : data.slice(0, 200);
  const line = element(
    'button',
    { type: 'button', class: `message ${isSent ? 'sent' : 'received'}`, role: 'listitem' },
    element('span', { class: 'arrow', title: isSent ? 'From the client' : 'From the server' }, isSent ? '↑' : '↓'),
    element('span', { class: 'figure' }, durationText(offset)),
    element('span', { class: 'quiet' }, opcodeNames[message.opcode] ?? `opcode ${message.opcode}`),
    element('span', { class: 'figure' }, byteText(size)),
    element('span', { class: 'preview' }, visibleText(preview + (message._compressed ? ' (compressed)' : ''))),
  );
  const body = { text: data || ' ', leftOut: message._truncated ? 1 : 0, isBase64: Boolean(bytes), mime: 'text/plain' };
  const whole = () => (close ? [factTable(closeFacts(close))] : [bodyView(body)]);
  return { line, whole };
}

/** How a gRPC call ended, and its messages, of which the log has times and sizes. */
function callParts(exchange, call) {
  const status = [call.status, call.statusName].filter((part) => part !== undefined).join(' ');
  const facts = [
    ['Status', status || 'none'],
    ['Message', call.message],
    ['Sent', countText(Number(call.requestMessages) || 0, 'message', 'messages')],
    ['Received', countText(Number(call.responseMessages) || 0, 'message', 'messages')],
    ['Remark', call.note],
  ];
  const rest = messagesIn(call.rest).messages.map(({ time, size, mark }) => ({
    type: mark & 1 ? 'send' : 'receive',
    time: ((exchange.start ?? 0) / 1000 + time) / 1000,
    size,
    compressed: Boolean(mark & 2),
    trailers: Boolean(mark & 4),
  }));
  const rows = [...call.messages, ...rest.slice(0, messagesAtOnce)].map((message) => {
    const isSent = message.type === 'send';
    const offset = exchange.start === null ? NaN : (message.time * 1e6 - exchange.start) / 1000;
    const remarks = [message.trailers && 'trailers', message.compressed && 'compressed'].filter(Boolean).join(', ');
    return element(
      'tr',
      {},
      element('td', { title: isSent ? 'From the client' : 'From the server' }, isSent ? '↑' : '↓'),
      element('td', { class: 'figure' }, durationText(offset)),
      element('td', { class: 'figure' }, byteText(Number(message.size))),
      element('td', {}, remarks),
    );
  });
  const messages = element('table', { class: 'facts' }, element('tbody', {}, rows));
  return [section('gRPC', [], factTable(facts)), rows.length ? section(`Messages (${rows.length})`, [], messages) : null];
}

/** The line of `[time, id, name, data]`; data that is no text is told by its size. */
function eventLine([time, id, name, told], hasIDs) {
  const data = typeof told === 'number' ? byteText(told) : told;
  const line = element(
    'button',
    { type: 'button', class: `message event${hasIDs ? ' numbered' : ''}`, role: 'listitem' },
    element('span', { class: 'figure' }, durationText(time)),
    hasIDs ? element('span', { class: 'quiet', title: `id ${visibleText(id)}` }, visibleText(id)) : null,
    element('span', { title: `event ${visibleText(name)}` }, visibleText(name)),
    element('span', { class: 'preview' }, visibleText(data.slice(0, 200).replaceAll('\n', '⏎'))),
  );
  return { line, whole: () => [bodyView({ text: data || ' ', leftOut: 0, isBase64: false, mime: 'text/plain' })] };
}

/** What a close frame says (RFC 6455, 5.5.1): `{ code, reason }`; `null` if it is malformed. */
function closeReason(bytes) {
  if (bytes.length === 1) return null;
  const code = bytes.length ? bytes[0] * 256 + bytes[1] : null;
  return { code, reason: new TextDecoder().decode(bytes.subarray(2)) };
}

function closeName(code) {
  if (Object.hasOwn(capture.header.closeCodes, code)) return capture.header.closeCodes[code];
  if (code >= 3000 && code < 4000) return '(of a library)';
  return code >= 4000 && code < 5000 ? '(of the application)' : '';
}

/** As `show` says it: `1001 Going Away: the server restarts`. */
function closeText({ code, reason }) {
  if (code === null) return 'no code';
  return [code, closeName(code)].filter(Boolean).join(' ') + (reason && `: ${reason}`);
}

function closeFacts({ code, reason }) {
  return [
    ['Code', code === null ? 'none' : [code, closeName(code)].filter(Boolean).join(' ')],
    ['Reason', reason || 'none'],
  ];
}

/** The first bytes in hexadecimal, and the text that they are, if they are one. */
function bytePreview(bytes) {
  const text = textOfBytes(bytes);
  const count = text ? bytesBeforeText : bytesInLine;
  const figures = [...bytes.subarray(0, count)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return figures + (bytes.length > count ? '…' : '') + (text ? `  "${text.slice(0, 200)}"` : '');
}
