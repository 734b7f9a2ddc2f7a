// The connection that carried an exchange, as far as the capture knows it.

function connectionTab(exchange) {
  const { _tls: tls, _clientTLS: clientTLS, _tcp: tcp, _tunnel: tunnel, _upgrade: upgrade, ...entry } = exchange.entry;
  const client = [entry._clientAddress, entry._clientPort && `port ${entry._clientPort}`].filter(Boolean).join(', ');
  return [
    section(
      'Connection',
      [],
      factTable([
        ['Server', exchange.ip && `${exchange.ip}, port ${entry._serverPort ?? exchange.port ?? '?'}`],
        ['Connection', exchange.connection],
        [
          'State',
          exchange.status === 0 && exchange.connect < 0
            ? undefined
            : exchange.isReused
              ? 'reused: it had carried an exchange before'
              : 'new, for this exchange',
        ],
        ['Client', client],
        ['Connection of the client', entry._clientConnectionId],
        ['Relayed to the server', relayedText(tunnel?.toServer ?? upgrade?.toServer)],
        ['Relayed to the client', relayedText(tunnel?.toClient ?? upgrade?.toClient)],
      ]),
    ),
    entry._http2 ? section('HTTP/2 stream', [], factTable(streamFacts(entry._http2))) : null,
    tls ? section('TLS with the server', [], factTable(tlsFacts(tls))) : null,
    tls?.certificate ? section('Certificate of the server', [], factTable(certificateFacts(tls.certificate))) : null,
    clientTLS ? section('TLS with the client', [], factTable(tlsFacts(clientTLS))) : null,
    tcp?.server ? section('TCP with the server', [], factTable(tcpFacts(tcp.server))) : null,
    tcp?.client ? section('TCP with the client', [], factTable(tcpFacts(tcp.client))) : null,
    companions(exchange),
  ];
}

const resetters = { client: 'by the client', origin: 'by the server', local: 'by tapeline' };

function streamFacts(stream) {
  const stall = (time) => (time > 0 ? exactDurationText(Number(time)) : undefined);
  const sending = stall(stream.sendStalled);
  const { reset } = stream;
  return [
    ['To the server', stream.streamId],
    ['From the client', stream.clientStreamId],
    ['Urgency', stream.urgency === undefined ? undefined : `${stream.urgency}${stream.incremental ? ', incremental' : ''}`],
    ["Waited for the server's window", sending && `${sending}, ${countText(Number(stream.windowStalls) || 0, 'time', 'times')}`],
    ['Waited for the reader', stall(stream.receiveStalled)],
    ['Reset', reset && [reset.code, resetters[reset.who] ?? reset.who].filter(Boolean).join(' ')],
    ['GOAWAY', stream.goaway],
  ];
}

function relayedText(count) {
  return count === undefined ? undefined : byteText(count);
}

function tlsFacts(tls) {
  const list = (value) => (Array.isArray(value) ? value.join(', ') : undefined);
  return [
    ['Version', tls.version],
    ['Cipher suite', tls.cipher],
    ['Protocol (ALPN)', tls.alpn],
    ['Server name (SNI)', tls.sni],
    ['Session', tls.resumed === undefined ? undefined : tls.resumed ? 'resumed' : 'full handshake'],
    ['Verified', tls.unverified ? 'no: the certificate was taken unverified' : undefined],
    ['Offered versions', list(tls.offeredVersions)],
    ['Offered protocols', list(tls.offeredALPN)],
    ['Hello to hello', tls.helloTime === undefined ? undefined : exactDurationText(tls.helloTime)],
    ['Alert', tls.alert && [tls.alert.name, tls.alert.origin && `from ${tls.alert.origin}`].filter(Boolean).join(', ')],
  ];
}

function certificateFacts(certificate) {
  return [
    ['Subject', certificate.subject],
    ['Issuer', certificate.issuer],
    ['Names', Array.isArray(certificate.names) ? certificate.names.join(', ') : certificate.names],
    ['Valid', [certificate.notBefore, certificate.notAfter].filter(Boolean).join(' – ')],
    ['SHA-256', certificate.fingerprint],
    ['Serial number', certificate.serialNumber],
  ];
}

function tcpFacts(tcp) {
  const milliseconds = (value) => (value === undefined ? undefined : exactDurationText(value));
  return [
    ['Round trip', milliseconds(tcp.rtt)],
    ['Its variation', milliseconds(tcp.rttvar)],
    ['Least round trip', milliseconds(tcp.minRtt)],
    ['Retransmits', tcp.retransmits],
    ['Congestion window', tcp.cwnd && countText(tcp.cwnd, 'segment', 'segments')],
    ['Limited by', transferLimitText(tcp)],
    ['Delivery rate', tcp.deliveryRate && `${byteText(tcp.deliveryRate)}/s`],
  ];
}

/** The exchanges that shared the connection. */
function companions(exchange) {
  if (!exchange.connection) return null;
  const others = capture.exchanges.filter(({ connection, host }) => connection === exchange.connection && host === exchange.host);
  if (others.length < 2 || others.length > 2000) return null;
  const rows = others.slice(0, 50).map((other) => {
    const button = element(
      'button',
      { type: 'button', class: 'link', 'aria-current': String(other === exchange) },
      `${other.number}`,
    );
    button.addEventListener('click', () => state.select(other.number, true));
    return element(
      'tr',
      {},
      element('td', {}, button),
      element('td', {}, durationText(other.offset)),
      element('td', {}, other.method),
      element('td', { class: 'path' }, visibleText(other.path)),
      element('td', { class: 'figure' }, durationText(other.total)),
    );
  });
  const more = others.length > 50 ? element('p', { class: 'notes' }, element('span', {}, `${others.length - 50} more`)) : null;
  return section(
    `On this connection (${others.length})`,
    [],
    element('table', { class: 'facts companions' }, element('tbody', {}, rows)),
    more,
  );
}
