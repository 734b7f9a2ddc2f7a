internal import ArgumentParser
internal import TapelineCapture
internal import TapelineConsole
internal import TapelineControl
internal import TapelineLoop
internal import TapelineTransport

/// Another proxy, between us and the servers.
struct UpstreamOptions: ParsableArguments {
  @Option(
    name: .customLong("upstream-proxy"),
    help: ArgumentHelp(
      "Reach servers through this proxy, http://[user:password@]host:port; @FILE reads that from a file, so that it is not in the process list; none reaches them directly. (default: in run, the proxy that the proxy variables name)",
      valueName: "url|@file|none"))
  var proxy: String?

  @Option(
    name: .customLong("upstream-proxy-except"),
    help: ArgumentHelp(
      "Reach these directly, written as in NO_PROXY: localhost,.example.com,10.0.0.0/8; repeatable.", valueName: "hosts"))
  var exceptions: [String] = []

  private static let none = "none"

  func validate() throws {
    guard let proxy, proxy != Self.none else {
      guard exceptions.isEmpty else {
        throw ValidationError("--upstream-proxy-except: there is no --upstream-proxy; add one")
      }
      return
    }
    do throws(UpstreamProxyError) {
      _ = try ProxyExceptions(parsing: exceptionList)
    } catch {
      throw ValidationError("--upstream-proxy-except: \(error); give names, .suffixes, addresses or ADDRESS/BITS")
    }
    guard !proxy.hasPrefix("@") else { return }
    do throws(UpstreamProxyError) {
      _ = try UpstreamProxy(parsing: proxy)
    } catch {
      throw ValidationError("--upstream-proxy: \(error); give \(Self.form)")
    }
  }

  /// The route to servers: as the options say, else as the environment says, if `use` permits that.
  ///
  /// - Parameter listeners: as for `upstreamProxy(besides:)`.
  func route(
    besides listeners: [SocketAddress], environment: [String: String], use: InheritedProxy.Use
  ) throws(CommandFailure) -> (proxy: UpstreamProxy?, notes: [String]) {
    guard proxy == nil else { return (try upstreamProxy(besides: listeners), []) }
    let inherited = InheritedProxy(environment: environment, besides: listeners)
    return switch use {
    case .followed: (inherited.proxy, inherited.notes)
    case .mentioned: (nil, inherited.mention.map { [$0] } ?? [])
    case .ignored: (nil, [])
    }
  }

  /// `nil` when servers are reached directly.
  ///
  /// - Parameter listeners: the addresses where we listen. An upstream proxy at one of these is refused.
  func upstreamProxy(besides listeners: [SocketAddress]) throws(CommandFailure) -> UpstreamProxy? {
    guard let given = proxy, given != Self.none else { return nil }
    let isFile = given.hasPrefix("@")
    let text = isFile ? try SecretFile.firstLine(of: String(given.dropFirst()), for: "--upstream-proxy") : given
    let upstream: UpstreamProxy
    do throws(UpstreamProxyError) {
      upstream = try UpstreamProxy(parsing: text, exceptions: exceptionList)
    } catch {
      throw CommandFailure(
        status: .badInput, what: isFile ? "--upstream-proxy \(given)" : "--upstream-proxy", why: error.description,
        remedy: "give \(Self.form)")
    }
    guard !listeners.contains(where: { upstream.isReached(at: $0) }) else {
      throw CommandFailure(
        status: .usage, what: "--upstream-proxy \(upstream)",
        why: "tapeline itself is to listen there: every request would come back",
        remedy: "name another proxy, or listen elsewhere with --listen")
    }
    return upstream
  }

  private var exceptionList: String { exceptions.joined(separator: ",") }

  private static let form = "http://HOST:PORT or http://USER:PASSWORD@HOST:PORT"
}
