internal import TapelineCore
internal import TapelineHAR
internal import TapelineSystem
internal import TapelineTime

/// `_tcp`: the kernel's figures for both connections, what held them up, and how they went on while the exchange lasted.
extension EntryWriter {
  func appendTCP(of record: ExchangeRecord, from start: MonotonicInstant?, to writer: inout JSONWriter) {
    guard record.server?.tcp != nil || record.client.tcp != nil else { return }
    writer.append(member: .tcp)
    writer.append(byte: UInt8(ascii: "{"))
    if let tcp = record.server?.tcp {
      writer.append(json: #""server":{"rtt":"#)
      writer.append(thousandths: Int64(tcp.rttMicroseconds))
      writer.append(json: #","rttvar":"#)
      writer.append(thousandths: Int64(tcp.rttVariationMicroseconds))
      writer.append(json: #","minRtt":"#)
      writer.append(thousandths: Int64(tcp.minimumRTTMicroseconds))
      writer.append(json: #","retransmits":"#)
      writer.append(integer: UInt64(tcp.totalRetransmits))
      writer.append(json: #","cwnd":"#)
      writer.append(integer: tcp.congestionWindow)
      appendRate(of: tcp, to: &writer)
      if let start, let history = record.server?.tcpHistory {
        let sends = record.isUpload ?? history.sends
        append(history, sends: sends, TransferWindow(server: record.marks, sends: sends), from: start, to: &writer)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
    if let tcp = record.client.tcp {
      writer.append(json: record.server?.tcp == nil ? #""client":{"rtt":"# : #","client":{"rtt":"#)
      writer.append(thousandths: Int64(tcp.rttMicroseconds))
      if let start, let history = record.client.tcpHistory {
        let sends = record.isUpload.map { !$0 } ?? history.sends
        append(history, sends: sends, TransferWindow(client: record.marks, sends: sends), from: start, to: &writer)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  private func appendRate(of tcp: TCPStatistics, to writer: inout JSONWriter) {
    guard let rate = tcp.deliveryRate else { return }
    writer.append(json: #","deliveryRate":"#)
    writer.append(integer: rate)
  }

  /// Appends `direction`, `limitedBy`, `limits` and `series`.
  private func append(
    _ history: TCPHistory, sends: Bool, _ window: TransferWindow?, from start: MonotonicInstant, to writer: inout JSONWriter
  ) {
    guard history.hasChanges else { return }
    let samples = history.samples
    var limits = TCPLimits()
    if let window {
      for place in samples.indices.dropFirst() {
        limits = limits + window.limits(from: samples[place - 1], to: samples[place], sends: sends)
      }
    }
    if let longest = limits.longest {
      writer.append(json: sends ? #","direction":"sending","limitedBy":"# : #","direction":"receiving","limitedBy":"#)
      writer.append(string: longest.rawValue)
      writer.append(json: #","limits":{"#)
      for limit in TCPLimit.allCases where limits[limit] > 0 {
        if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
        writer.append(string: limit.rawValue)
        writer.append(byte: UInt8(ascii: ":"))
        writer.append(thousandths: limits[limit] / 1_000)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
    guard history.isSeries else { return }
    writer.append(json: #","series":["#)
    for place in samples.indices.dropFirst() {
      if place > 1 { writer.append(byte: UInt8(ascii: ",")) }
      let limit = window?.limits(from: samples[place - 1], to: samples[place], sends: sends).longest
      append(samples[place], after: samples[place - 1], limit: limit, start, to: &writer)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// One sample, with the bytes that have passed since the one before, in both directions.
  private func append(
    _ sample: TCPSample, after before: TCPSample, limit: TCPLimit?, _ start: MonotonicInstant, to writer: inout JSONWriter
  ) {
    let now = sample.statistics.traffic
    let earlier = before.statistics.traffic
    writer.append(json: #"{"ts":"#)
    writer.append(integer: sample.instant.nanoseconds(since: start) / 1_000)
    writer.append(json: #","rtt":"#)
    writer.append(thousandths: Int64(sample.statistics.rttMicroseconds))
    writer.append(json: #","cwnd":"#)
    writer.append(integer: sample.statistics.congestionWindow)
    writer.append(json: #","inFlight":"#)
    writer.append(integer: UInt64(now.inFlight))
    writer.append(json: #","retransmits":"#)
    writer.append(integer: UInt64(sample.statistics.totalRetransmits))
    writer.append(json: #","sent":"#)
    writer.append(integer: now.bytesAcknowledged &- earlier.bytesAcknowledged)
    writer.append(json: #","received":"#)
    writer.append(integer: now.bytesReceived &- earlier.bytesReceived)
    appendRate(of: sample.statistics, to: &writer)
    if let limit {
      writer.append(json: #","limitedBy":"#)
      writer.append(string: limit.rawValue)
    }
    writer.append(byte: UInt8(ascii: "}"))
  }
}

extension ExchangeRecord {
  /// Whether the content went to the server rather than to the client; `nil` where neither message has the longer content. Heads
  /// do not count: a stream of a few small messages has less than they have.
  fileprivate var isUpload: Bool? {
    requestBody.size == responseBody.size ? nil : requestBody.size > responseBody.size
  }
}

/// When an exchange moved its content over one of its connections.
private struct TransferWindow {
  private let content: ClosedRange<MonotonicInstant>
  /// Up to then the kernel may still send content that it has taken.
  private let drained: MonotonicInstant

  init?(server marks: TimelineMarks, sends: Bool) {
    if sends {
      self.init(marks[.sentFirst], marks[.sentLast], drained: marks[.responseFirstByte])
    } else {
      self.init(marks[.responseFirstByte], marks[.responseLastByte], drained: nil)
    }
  }

  init?(client marks: TimelineMarks, sends: Bool) {
    if sends {
      self.init(marks[.deliveredFirst], marks[.deliveredLast], drained: nil)
    } else {
      self.init(marks[.requestFirstByte], marks[.requestLastByte], drained: nil)
    }
  }

  private init?(_ first: MonotonicInstant?, _ last: MonotonicInstant?, drained: MonotonicInstant?) {
    guard let first, let last, first <= last else { return nil }
    content = first...last
    self.drained = max(last, drained ?? last)
  }

  func limits(from before: TCPSample, to after: TCPSample, sends: Bool) -> TCPLimits {
    let limits = TCPLimits(from: before, to: after, sends: sends, within: content)
    guard drained > content.upperBound else { return limits }
    var rest = TCPLimits(from: before, to: after, sends: sends, within: content.upperBound...drained)
    // There was nothing more to send.
    rest[.application] = 0
    return limits + rest
  }
}
