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
    do throws(RecorderError) {
      let source = try recorder.source { (server?.exchangesInFlight() ?? []).filter { $0.id == exchange } }
      return source.tail.places.first.map { Array(source.tail.entries[$0.range]) }
    } catch {
      return nil
    }
  }
}
