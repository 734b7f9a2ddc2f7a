internal import CTapeline
internal import Glibc
internal import TapelineCore
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineTime

/// A proxy and the recorder behind it, from listening to the last octet on disk. Owned by the main thread.
final class Recording {
  /// The HAR, as it was named.
  let output: String
  /// The settings in force, for `--verbose`.
  let settings: String
  private let server: ProxyServer
  private let recorder: Recorder

  /// How long exchanges under way get to end by themselves.
  private static let gracePeriodNanoseconds: Int64 = 2_000_000_000

  /// Opens the output, then listens, then says where. Whatever fails, nothing is left behind: no listener, no empty file.
  init(options: CaptureOptions, defaultListen: EndpointArgument, title: String) throws(CommandFailure) {
    tapeline_configure_allocator()
    SignalSource.ignoreBrokenPipes()
    let output = options.output ?? OutputName.standard(unixNanoseconds: WallClockAnchor.process.unixNanoseconds)
    let recorder = try openRecorder(options.recorderConfiguration(output: output, title: title))
    let configuration = options.proxyConfiguration(defaultListen: defaultListen)
    let server: ProxyServer
    do throws(CommandFailure) {
      server = try startServer(configuration, recorder: recorder)
    } catch {
      discardOutput(of: recorder)
      throw error
    }
    self.output = output
    settings = options.settingsText(of: configuration)
    self.recorder = recorder
    self.server = server
    guard let portFile = options.portFile else { return }
    do throws(CommandFailure) {
      try PortFile.write(endpoints, to: portFile)
    } catch {
      discard()
      throw error
    }
  }

  /// Where the proxy listens, with real ports; at least one.
  var endpoints: [EndpointArgument] {
    server.addresses.map(EndpointArgument.init)
  }

  /// The line that says where to send requests and where they will be found.
  var announcement: String {
    "listening on \(endpoints.map(\.description).joined(separator: " and ")), recording to \(output)"
  }

  /// Closes the HAR and starts the next.
  func rotate() {
    recorder.rotate()
  }

  /// Stops accepting, lets exchanges end, records the rest as they are, and closes the file.
  ///
  /// - Returns: the failure, when exchanges are missing from the file because it could not be written.
  func conclude(isQuiet: Bool) -> CommandFailure? {
    server.shutdown(gracePeriodNanoseconds: Self.gracePeriodNanoseconds)
    let summary = recorder.finish()
    if !isQuiet { Console.say(SummaryText.line(for: summary)) }
    guard let error = summary.writeError else { return nil }
    return CommandFailure(
      status: .writeFailed, what: error.path ?? output, why: "\(summary.lostRecords) exchanges are missing: \(error.reason)",
      remedy: "record again where there is room")
  }

  /// Ends a recording that has not begun: an output without exchanges is removed.
  func discard() {
    server.shutdown(gracePeriodNanoseconds: 0)
    discardOutput(of: recorder)
  }
}

private func openRecorder(_ configuration: RecorderConfiguration) throws(CommandFailure) -> Recorder {
  do throws(RecorderError) {
    return try Recorder(configuration: configuration)
  } catch {
    throw CommandFailure(status: .cannotCreate, what: error.path ?? configuration.path, why: error.reason, remedy: error.remedy)
  }
}

private func startServer(_ configuration: ProxyConfiguration, recorder: Recorder) throws(CommandFailure) -> ProxyServer {
  do throws(TransportError) {
    let server = try ProxyServer(configuration: configuration) { recorder.record($0) }
    do throws(TransportError) {
      try server.start()
    } catch {
      server.shutdown(gracePeriodNanoseconds: 0)
      throw error
    }
    return server
  } catch {
    throw CommandFailure(
      status: .unavailable, what: "cannot listen", why: error.message,
      remedy: "choose another address with --listen HOST:PORT, or port 0 for a free one")
  }
}

/// Removes the files of a recorder that recorded nothing.
private func discardOutput(of recorder: Recorder) {
  let summary = recorder.finish()
  guard summary.exchanges == 0 else { return }
  for file in summary.files {
    _ = unsafe unlink(file)
  }
}
