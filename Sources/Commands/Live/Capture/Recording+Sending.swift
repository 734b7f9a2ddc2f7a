package import TapelineOffline
internal import TapelineLoop
internal import TapelineTransport

extension Recording {
  /// Sends the requests of a capture through a proxy of its own, which records them.
  ///
  /// - Parameter name: the capture's, for the last line.
  package static func send(
    _ capture: inout CaptureFile, named name: String, by sending: CaptureSending, _ configuration: RecordingConfiguration
  ) throws(CommandFailure) {
    let recording = try Recording(configuration)
    do throws(CommandFailure) {
      let proxy = recording.endpoints[0].reachable.address
      let counts = try sending.send(
        &capture, through: UpstreamProxy(host: proxy.host, port: proxy.port), trusting: recording.interception?.directory)
      if !configuration.isQuiet { Console.say(counts.text(of: name)) }
    } catch {
      _ = recording.conclude(isQuiet: true)
      throw error
    }
    if let failure = recording.conclude() { throw failure }
  }
}
