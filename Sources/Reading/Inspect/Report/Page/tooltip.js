// What the bar under the pointer says in figures.

class Tooltip {
  constructor(place, table) {
    this.place = place;
    this.table = table;
    this.item = null;
    table.viewport.addEventListener('pointermove', (event) => this.follow(event));
    table.viewport.addEventListener('pointerleave', () => this.hide());
    table.viewport.addEventListener('scroll', () => this.hide(), { passive: true });
    // Whatever else is done, the bar under the pointer is another one or not what is looked at.
    for (const name of ['keydown', 'pointerdown', 'blur', 'resize']) addEventListener(name, () => this.hide());
    document.addEventListener('visibilitychange', () => this.hide());
    state.on('list view selection columns', () => this.leave());
  }

  hide() {
    this.item = null;
    this.place.hidden = true;
  }

  /** The rows may have moved under a pointer that rests. */
  leave() {
    if (this.item && this.table.itemAt({ target: document.elementFromPoint(this.x, this.y) ?? document.body }) !== this.item) this.hide();
  }

  follow(event) {
    [this.x, this.y] = [event.clientX, event.clientY];
    const item = this.table.itemAt(event);
    if (!(item instanceof Exchange) || this.table.placeInWaterfall(event) === null || event.buttons) {
      this.hide();
      return;
    }
    if (item !== this.item) {
      this.item = item;
      this.place.replaceChildren(...this.content(item));
      this.place.hidden = false;
    }
    const { width, height } = this.place.getBoundingClientRect();
    this.place.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    this.place.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
  }

  content(exchange) {
    const phases = exchange.segments.map(({ phase, from, to }) =>
      element(
        'tr',
        {},
        element('th', {}, element('span', { class: `swatch swatch-${phase}` }), phaseTitles[phase]),
        element('td', {}, exactDurationText(to - from)),
        element('td', {}, shareText(to - from, exchange.time)),
      ),
    );
    return [
      element('p', { class: 'tooltip-title' }, `${exchange.method} ${visibleText(exchange.path.slice(0, 80))}`),
      element(
        'table',
        {},
        phases,
        element(
          'tr',
          { class: 'total' },
          element('th', {}, 'Total'),
          element('td', {}, exactDurationText(exchange.total)),
          element('td', {}, `at ${durationText(exchange.offset)}`),
        ),
        exchange.apart > 0
          ? element('tr', {}, element('th', {}, apartText(exchange)), element('td', {}, exactDurationText(exchange.time)), element('td'))
          : null,
      ),
      ...[criticalText(exchange), ...connectionFacts(exchange)]
        .filter(Boolean)
        .map((fact) => element('p', {}, visibleText(fact))),
    ];
  }
}

/** What is known of TCP and TLS, in short. */
function connectionFacts(exchange) {
  const { _tcp: tcp, _tls: tls, _overhead: overhead, _http2: stream, _grpc: call } = exchange.entry;
  const facts = [];
  if (exchange.failure) facts.push(exchange.failureText);
  if (exchange.endText) facts.push(sentence(exchange.endText));
  if (exchange.isInFlight) facts.push(feed.isLive ? 'In flight.' : 'In flight when the log was copied.');
  const connection = [
    exchange.isReused ? 'Reused connection' : 'New connection',
    exchange.connection && `#${exchange.connection}`,
    stream?.streamId && `· ${versionName(exchange.entry.response.httpVersion)} stream ${stream.streamId}`,
  ];
  if (exchange.status !== 0 || exchange.connect >= 0) facts.push(connection.filter(Boolean).join(' '));
  if (tls) {
    const session = tls.resumed === true ? 'resumed' : tls.resumed === false ? 'full handshake' : null;
    facts.push(['TLS', tls.version, tls.alpn, session].filter(Boolean).join(' · '));
  }
  if (call) facts.push(`gRPC · ${callOutcome(call)} · ${countText(callMessageCount(call), 'message', 'messages')}`);
  if (tcp?.server) {
    const { rtt, minRtt, retransmits } = tcp.server;
    const parts = [
      rtt !== undefined && `RTT ${durationText(rtt)}`,
      minRtt !== undefined && `least ${durationText(minRtt)}`,
      retransmits > 0 && countText(retransmits, 'retransmit', 'retransmits'),
    ];
    facts.push(['TCP', ...parts].filter(Boolean).join(' · '));
  }
  if (exchange.chunks.length) facts.push(`Streamed in ${countText(exchange.entry._chunks.length, 'piece', 'pieces')}`);
  if (overhead) {
    const cost = Math.max(overhead.request ?? 0, exchange.proxy) + (overhead.response ?? 0);
    if (cost > 0) facts.push(`The proxy itself took ${durationText(cost)}`);
  }
  return facts;
}
