// Streams: pieces and messages as the log has them, and the gaps between events. `Streams` in Swift.

const arrivalDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Milliseconds: a longer gap is a stall. */
const stallTime = 1000;
const longestGaps = 3;
/** The strip of gaps has at most so many bars. */
const mostBars = 200;
/** From so many events on, a list of them can be searched. */
const searchableEvents = 10;

/** The numbers of a compact text of arrivals, and how many more there were: `ArrivalText` in Swift. */
function arrivalsIn(text) {
  const [lists, more] = String(text).split('+', 2);
  const numbers = [];
  let [number, scale] = [0, 1];
  for (const digit of lists.split('.', 1)[0]) {
    const value = arrivalDigits.indexOf(digit);
    if (value < 0) return { numbers: [], leftOut: 0 };
    number += (value & 31) * scale;
    scale *= 32;
    if (value < 32) continue;
    numbers.push(number);
    [number, scale] = [0, 1];
  }
  return { numbers, leftOut: Number(more) || 0 };
}

/** The pieces of a response as older logs list them: `{ ts, bytes }`. */
function piecesIn(value) {
  if (typeof value !== 'string') {
    return objectsIn(value).filter(({ ts, bytes }) => typeof ts === 'number' && typeof bytes === 'number');
  }
  const { numbers } = arrivalsIn(value);
  const pieces = [];
  let ts = 0;
  for (let place = 0; place + 1 < numbers.length; place += 2) {
    ts += numbers[place];
    pieces.push({ ts, bytes: numbers[place + 1] });
  }
  return pieces;
}

/** Messages of which the log has times and sizes alone: `{ time, size, mark }`, the time in milliseconds. */
function messagesIn(text) {
  const { numbers, leftOut } = arrivalsIn(text ?? '');
  const messages = [];
  let time = 0;
  for (let place = 0; place + 2 < numbers.length; place += 3) {
    time += numbers[place];
    messages.push({ time: time / 1000, size: numbers[place + 1], mark: numbers[place + 2] });
  }
  return { messages, leftOut };
}

/** What the server sent: `[time, hasContent]` each; nothing for an exchange that is no stream. */
function receivedEvents(exchange) {
  const { entry } = exchange;
  const offset = ({ time }) => (exchange.start === null ? null : Math.max(0, (time * 1e6 - exchange.start) / 1000));
  if (entry._webSocketMessages.length) {
    const rest = messagesIn(entry._webSocketRest);
    const listed = entry._webSocketMessages
      .filter(({ type }) => type !== 'send')
      .map((message) => [offset(message), [1, 2].includes(message.opcode) && (message._size ?? String(message.data ?? '').length) > 0]);
    const others = rest.messages
      .filter(({ mark }) => !(mark & 1))
      .map(({ time, size, mark }) => [time, [1, 2].includes(mark >> 1) && size > 0]);
    const events = [...listed, ...others].sort(([left], [right]) => left - right);
    return { events, leftOut: entry._webSocketRest === undefined ? Number(entry._webSocketMessagesDropped) || 0 : rest.leftOut };
  }
  if (entry._grpc) {
    const listed = entry._grpc.messages
      .filter(({ type, trailers }) => type !== 'send' && !trailers)
      .map((message) => [offset(message), Number(message.size) > 0]);
    const others = messagesIn(entry._grpc.rest)
      .messages.filter(({ mark }) => !(mark & 5))
      .map(({ time, size }) => [time, size > 0]);
    const events = [...listed, ...others];
    return { events, leftOut: Math.max(0, (Number(entry._grpc.responseMessages) || 0) - events.length) };
  }
  if (!exchange.hasEvents) return undefined;
  const isCall = exchange.mime.toLowerCase().startsWith('application/connect');
  const events = exchange.events.filter(([, , name]) => !(isCall && name === 'trailers'));
  return { events: events.map(([time, , , , isEmpty]) => [time, !isEmpty]), leftOut: 0 };
}

/** `{ count, first, gaps, rate }`, a gap with the place of the event that ended it; nothing for an exchange that is no stream. */
function streamTiming(exchange) {
  const received = receivedEvents(exchange);
  if (!received) return undefined;
  const { events, leftOut } = received;
  const mark = exchange.entry._events?.sentLast;
  const asked =
    typeof mark === 'number'
      ? mark / 1000
      : ['client', 'proxy', 'blocked', 'dns', 'connect', 'send'].reduce((sum, phase) => sum + Math.max(0, exchange[phase]), 0);
  const [began] = events.find(([, hasContent]) => hasContent) ?? [null];
  const gaps = [];
  for (let place = 1; place < events.length; place += 1) {
    const [before, time] = [events[place - 1][0], events[place][0]];
    if (before !== null && time !== null) gaps.push({ place, time: Math.max(0, time - before) });
  }
  const times = events.map(([time]) => time).filter((time) => time !== null);
  const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return {
    count: events.length + leftOut,
    first: began === null ? undefined : Math.max(0, began - asked),
    gaps,
    rate: length > 0 && gaps.length ? (gaps.length / length) * 1000 : undefined,
  };
}

/** The smallest gap that `percent` % of the gaps do not exceed. */
function gapOf(timing, percent) {
  if (!timing?.gaps.length) return undefined;
  const sorted = timing.gaps.map(({ time }) => time).sort((left, right) => left - right);
  return sorted[Math.max(0, Math.min(sorted.length, Math.ceil((sorted.length * percent) / 100)) - 1)];
}

/** A bar for each gap, or for the longest of several, as high as the root of its share of the longest of all. */
function gapStrip({ gaps }, longest, reveal) {
  const count = Math.min(gaps.length, mostBars);
  const bars = Array.from({ length: count }, (_, bar) => {
    const [from, to] = [bar, bar + 1].map((edge) => Math.floor((edge * gaps.length) / count));
    const { place, time } = gaps.slice(from, to).reduce((left, right) => (right.time > left.time ? right : left));
    const height = `${Math.sqrt(time / (longest || 1)) * 100}%`;
    const title = `${durationText(time)} before event ${place + 1}`;
    return element('span', { class: time > stallTime && 'stall', style: { height }, title, onclick: () => reveal(place) });
  });
  return element('div', { class: 'gaps', role: 'img', 'aria-label': `${countText(gaps.length, 'gap', 'gaps')} between events` }, bars);
}

/** What a list of events begins with: figures, and the gaps; the click on one leads to the event that ended it. */
function streamSummary(exchange, reveal) {
  const timing = streamTiming(exchange);
  if (!timing?.gaps.length) return [];
  const stalls = timing.gaps.filter(({ time }) => time > stallTime).length;
  const parts = [
    timing.first === undefined ? null : `first content ${durationText(timing.first)} after the request`,
    `gaps p50 ${durationText(gapOf(timing, 50))}, p99 ${durationText(gapOf(timing, 99))}`,
    `${stalls || 'none'} above ${durationText(stallTime)}`,
  ];
  const longest = timing.gaps.toSorted((left, right) => right.time - left.time || left.place - right.place).slice(0, longestGaps);
  const notes = element(
    'p',
    { class: 'notes' },
    element('span', {}, `${parts.filter(Boolean).join('; ')}; longest `),
    ...longest.map(({ place, time }) => {
      const button = element('button', { type: 'button', title: `Show event ${place + 1}, which ended it` }, durationText(time));
      button.addEventListener('click', () => reveal(place));
      return button;
    }),
  );
  return [notes, gapStrip(timing, longest[0].time, reveal)];
}
