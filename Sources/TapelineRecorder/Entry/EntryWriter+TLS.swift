internal import TapelineCore
internal import TapelineHAR
internal import TapelineTime

extension EntryWriter {
  /// Appends `_tls` for the connection with the server, and `_clientTLS` for ours with the client.
  func appendTLS(of record: ExchangeRecord, to writer: inout JSONWriter) {
    if let details = record.serverTLS {
      writer.append(json: #","_tls":{"#)
      append(details.facts, to: &writer)
    }
    if let details = record.clientTLS {
      writer.append(json: #","_clientTLS":{"#)
      append(details.facts, to: &writer)
    }
  }

  /// Appends the known members and the closing brace.
  private func append(_ details: TLSDetails.Facts, to writer: inout JSONWriter) {
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
      writer.append(millisecondsOf: EntryTimings.microseconds(hello))
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

  private func append(_ certificate: TLSDetails.Certificate, to writer: inout JSONWriter) {
    separate(in: &writer)
    writer.append(json: #""certificate":{"subject":"#)
    writer.append(string: certificate.subject)
    writer.append(json: #","issuer":"#)
    writer.append(string: certificate.issuer)
    append(#""names":"#, certificate.names, to: &writer)
    writer.append(json: #","notBefore":""#)
    writer.append(json: Array(CivilDate(unixSeconds: certificate.notBefore).text.utf8).span)
    writer.append(json: #"Z","notAfter":""#)
    writer.append(json: Array(CivilDate(unixSeconds: certificate.notAfter).text.utf8).span)
    writer.append(json: #"Z","fingerprint":"#)
    writer.append(string: certificate.fingerprint)
    writer.append(json: #","serialNumber":"#)
    writer.append(string: certificate.serialNumber)
    writer.append(byte: UInt8(ascii: "}"))
  }

  private func append(_ name: StaticString, _ text: String?, to writer: inout JSONWriter) {
    guard let text else { return }
    separate(in: &writer)
    writer.append(json: name)
    writer.append(string: text)
  }

  private func append(_ name: StaticString, _ texts: [String], to writer: inout JSONWriter) {
    guard !texts.isEmpty else { return }
    separate(in: &writer)
    writer.append(json: name)
    writer.append(byte: UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(string: text)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends a comma, except at the start of the object.
  private func separate(in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
  }
}
