internal import TapelineCore
internal import TapelineProxy
internal import TapelineRecorder

/// Whole entries, for visitors who ask about an exchange. Used on the live page's thread.
struct LiveDetails {
  let capture: LiveCapture
  let recorder: Recorder
  /// Absent until the proxy listens.
  let server: ProxyServer?

  /// The entry of an exchange that has ended, as JSON; `nil` if it is not there.
  func entry(_ number: Int) -> [UInt8]? {
    capture.entry(number)
  }

  /// The entry of an exchange in flight, as far as it has come, as JSON; `nil` if it is in flight no more.
  func inFlight(_ exchange: UInt64) -> [UInt8]? {
    inFlight([exchange]).first?.json
  }

  /// The entries of those exchanges that are in flight still.
  func inFlight(_ exchanges: Set<UInt64>) -> [(exchange: UInt64, json: [UInt8])] {
    guard !exchanges.isEmpty else { return [] }
    do throws(RecorderError) {
      let request = try recorder.requestSource { (server?.exchangesInFlight() ?? []).filter { exchanges.contains($0.id) } }
      guard let source = try request.answer(within: LiveDesk.lookPatience) else { return [] }
      return source.tail.places.filter { exchanges.contains($0.exchange) }
        .map { ($0.exchange, Array(source.tail.entries[$0.range])) }
    } catch {
      return []
    }
  }
}
