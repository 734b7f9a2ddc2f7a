// The messages of a WebSocket.

const opcodeNames = { 0: 'continuation', 1: 'text', 2: 'binary', 8: 'close', 9: 'ping', 10: 'pong' };
const messagesAtOnce = 500;

function messagesTab(exchange) {
  const messages = exchange.entry._webSocketMessages;
  const dropped = exchange.entry._webSocketMessagesDropped;
  const shown = element('div', { class: 'messages', role: 'list' });
  const content = element('div', { class: 'body-content' });
  const note = dropped
    ? element('p', { class: 'notes' }, element('span', {}, `${dropped} more passed and are not in the capture`))
    : null;
  const list = (start) => {
    const end = Math.min(start + messagesAtOnce, messages.length);
    shown.append(...messages.slice(start, end).map((message) => messageLine(exchange, message, content)));
    if (end === messages.length) return;
    const more = element('button', { type: 'button', class: 'more' }, `${messages.length - end} more`);
    more.addEventListener('click', () => {
      more.remove();
      list(end);
    });
    shown.append(more);
  };
  list(0);
  return [note, shown, content];
}

function messageLine(exchange, message, content) {
  const isSent = message.type === 'send';
  const isText = message.opcode === 1 && message._encoding !== 'base64';
  const data = String(message.data ?? '');
  const size =
    message._size ?? (isText ? new TextEncoder().encode(data).length : Math.floor((data.replace(/=+$/, '').length * 3) / 4));
  const offset = exchange.start === null ? NaN : (message.time * 1e6 - exchange.start) / 1000;
  const line = element(
    'button',
    { type: 'button', class: `message ${isSent ? 'sent' : 'received'}`, role: 'listitem' },
    element('span', { class: 'arrow', title: isSent ? 'From the client' : 'From the server' }, isSent ? '↑' : '↓'),
    element('span', { class: 'figure' }, durationText(offset)),
    element('span', { class: 'quiet' }, opcodeNames[message.opcode] ?? `opcode ${message.opcode}`),
    element('span', { class: 'figure' }, byteText(size)),
    element('span', { class: 'preview' }, visibleText(isText ? data.slice(0, 200) : data.slice(0, 60))),
  );
  line.addEventListener('click', () => {
    for (const other of line.parentElement.children) other.classList.toggle('chosen', other === line);
    content.replaceChildren(
      bodyView({ text: data || ' ', leftOut: message._truncated ? 1 : 0, isBase64: !isText, mime: 'text/plain' }),
    );
  });
  return line;
}
