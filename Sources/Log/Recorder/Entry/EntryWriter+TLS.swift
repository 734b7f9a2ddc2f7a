internal import TapelineCore
internal import TapelineHAR
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime

/// The TLS members of entries as text, one for each connection: its exchanges differ in everything else.
struct RenderedTLS {
  /// The details are kept, so that no other object gets their identity.
  private var texts: [ObjectIdentifier: (details: TLSDetails, text: [UInt8])] = [:]

  /// Connections whose text is remembered.
  static let limit = 256

  /// The members of `details` in their braces, if they were rendered before.
  func text(of details: TLSDetails) -> [UInt8]? { texts[details.identity]?.text }

  mutating func insert(_ text: [UInt8], of details: TLSDetails) {
    if texts.count == Self.limit { texts.removeAll(keepingCapacity: true) }
    texts[details.identity] = (details, text)
  }
}

extension EntryWriter {
  /// Appends `_tls` for the connection with the server, and `_clientTLS` for ours with the client.
  mutating func appendTLS(of record: ExchangeRecord, to writer: inout JSONWriter) {
    if let details = record.serverTLS {
      writer.append(member: .tls)
      writer.append(json: text(of: details).span)
    }
    if let details = record.clientTLS {
      writer.append(member: .clientTLS)
      writer.append(json: text(of: details).span)
    }
  }

  /// The members of `details` in their braces.
  mutating func text(of details: TLSDetails) -> [UInt8] {
    if let known = renderedTLS.text(of: details) {
      // The secrets of this entry are not those of the entry for which it was rendered.
      let count = redactor?.count ?? 0
      if redactor?.withoutEchoes(known.span) == nil { return known }
      redactor?.count = count
    }
    var writer = JSONWriter(capacity: 1_024)
    writer.append(byte: UInt8(ascii: "{"))
    append(details.facts, to: &writer)
    let text = writer.bytes
    renderedTLS.insert(text, of: details)
    return text
  }

  /// Appends the known members and the closing brace.
  private mutating func append(_ details: TLSDetails.Facts, to writer: inout JSONWriter) {
    append(#""version":"#, details.version, to: &writer)
    append(#""cipher":"#, details.cipher, to: &writer)
    append(#""alpn":"#, details.applicationProtocol, to: &writer)
    append(#""sni":"#, details.serverName, to: &writer)
    if let isResumed = details.isResumed {
      separate(in: &writer)
      writer.append(json: isResumed ? #""resumed":true"# : #""resumed":false"#)
    }
    if details.isUnverified {
      separate(in: &writer)
      writer.append(json: #""unverified":true"#)
    }
    append(#""offeredVersions":"#, details.offeredVersions, to: &writer)
    append(#""offeredALPN":"#, details.offeredProtocols, to: &writer)
    if let hello = details.helloNanoseconds {
      separate(in: &writer)
      writer.append(json: #""helloTime":"#)
      writer.append(thousandths: EntryTimings.microseconds(hello))
    }
    if let certificate = details.certificate { append(certificate, to: &writer) }
    if let alert = details.alert {
      separate(in: &writer)
      writer.append(json: #""alert":{"name":"#)
      writer.append(string: alert.name)
      writer.append(json: #","origin":"#)
      writer.append(string: alert.origin)
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  private mutating func append(_ certificate: TLSDetails.Certificate, to writer: inout JSONWriter) {
    separate(in: &writer)
    writer.append(json: #""certificate":{"subject":"#)
    writer.append(string: shown(certificate.subject))
    writer.append(json: #","issuer":"#)
    writer.append(string: shown(certificate.issuer))
    append(#""names":"#, certificate.names, to: &writer)
    writer.append(json: #","notBefore":""#)
    writer.append(CivilDate(unixSeconds: certificate.notBefore))
    writer.append(json: #"Z","notAfter":""#)
    writer.append(CivilDate(unixSeconds: certificate.notAfter))
    writer.append(json: #"Z","fingerprint":"#)
    writer.append(string: certificate.fingerprint)
    writer.append(json: #","serialNumber":"#)
    writer.append(string: certificate.serialNumber)
    writer.append(byte: UInt8(ascii: "}"))
  }

  private mutating func append(_ name: StaticString, _ text: String?, to writer: inout JSONWriter) {
    guard let text else { return }
    separate(in: &writer)
    writer.append(json: name)
    writer.append(string: shown(text))
  }

  private mutating func append(_ name: StaticString, _ texts: [String], to writer: inout JSONWriter) {
    guard !texts.isEmpty else { return }
    separate(in: &writer)
    writer.append(json: name)
    writer.append(byte: UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(string: shown(text))
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends a comma, except at the start of the object.
  private func separate(in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
  }
}
