package import TapelineLoop
package import TapelineOffline
package import TapelineTransport

extension UpstreamProxy {
  /// The proxy that `--upstream-proxy` names, or the file after `@`.
  ///
  /// - Parameters:
  ///   - listeners: the addresses where we listen. An upstream proxy at one of these is refused.
  ///   - form: how it is written, for the message.
  package static func named(
    by given: String, exceptions: String, besides listeners: [SocketAddress], form: String
  ) throws(CommandFailure) -> UpstreamProxy {
    let isFile = given.hasPrefix("@")
    let text = isFile ? try SecretFile.firstLine(of: String(given.dropFirst()), for: "--upstream-proxy") : given
    let upstream: UpstreamProxy
    do throws(UpstreamProxyError) {
      upstream = try UpstreamProxy(parsing: text, exceptions: exceptions)
    } catch {
      throw CommandFailure(
        status: .badInput, what: isFile ? "--upstream-proxy \(given)" : "--upstream-proxy", why: error.description,
        remedy: "give \(form)")
    }
    guard !listeners.contains(where: { upstream.isReached(at: $0) }) else {
      throw CommandFailure(
        status: .usage, what: "--upstream-proxy \(upstream)",
        why: "tapeline itself is to listen there: every request would come back",
        remedy: "name another proxy, or listen elsewhere with --listen")
    }
    return upstream
  }
}
