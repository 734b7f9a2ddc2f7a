internal import TapelineHAR

/// The proxy's own time in an exchange, all of it: its part of `blocked` before the request was out, and `_overhead`.
struct ProxyTime {
  /// Up to the first byte to the server, in milliseconds; `nil` if the log does not say.
  private let request: Double?
  /// From the server's first byte to the first to the client.
  private let response: Double?
  /// The longest wait until the proxy read what had come: part of one of the two.
  private let queue: Double?
  /// Until the recorder had caught up: part of the time before the request.
  private let recorder: Double?
  /// The handshake with the client, and the certificate for it: beside the server's, or after it.
  private let clientTLS: Double?
  private let minting: Double?

  /// `nil` for other programs' logs.
  init?(_ entry: HAREntry) {
    guard let overhead = entry.custom[.overhead] else { return nil }
    request = overhead["request"]?.double.map { max($0, entry.shares.proxy) }
    response = overhead["response"]?.double
    queue = overhead["queue"]?.double
    recorder = overhead["recorder"]?.double
    clientTLS = overhead["clientTLS"]?.double
    minting = overhead["minting"]?.double
  }

  /// `itself took 68.8ms on the way out, 0.11ms on the way back; 68.2ms of it until a processor read what had come; …`
  var text: String? {
    let parts = [(request, "on the way out"), (response, "on the way back")].compactMap { time, way in
      time.map { "\(DurationText.compact($0)) \(way)" }
    }
    // An exchange that was given up while it waited has neither.
    let waits = recorder.map { "\(DurationText.compact($0))\(parts.isEmpty ? "" : " of it") until the recorder had caught up" }
    guard !parts.isEmpty else { return waits }
    let took = "itself took " + parts.joined(separator: ", ")
    return [took, waits, waitText, handshakeText].compactMap(\.self).joined(separator: "; ")
  }

  /// Only a wait that matters: a loop reads most bytes some microseconds after they came.
  private var waitText: String? {
    queue.flatMap {
      $0 >= Self.leastWait ? "\(DurationText.compact($0)) of it waiting for a processor to read what had come" : nil
    }
  }

  private var handshakeText: String? {
    guard let clientTLS else { return nil }
    let certificate = minting.map { ", \(DurationText.compact($0)) of it for the certificate" } ?? ""
    return "its TLS with the client took \(DurationText.compact(clientTLS))\(certificate)"
  }

  /// Milliseconds.
  private static let leastWait = 0.5
}
