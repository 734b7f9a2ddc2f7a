internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineLoop
internal import TapelineTransport

/// Another proxy, between us and the servers.
struct UpstreamOptions: ParsableArguments {
  @Option(
    name: .customLong("upstream-proxy"),
    help: ArgumentHelp(
      "Reach servers through this proxy, http://[user:password@]host:port or socks5://[user:password@]host:port; @FILE reads that from a file, so that it is not in the process list; none reaches them directly. (default: in run, the proxy that the proxy variables name)",
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
    guard let proxy, proxy != Self.none else { return nil }
    return try UpstreamProxy.named(by: proxy, exceptions: exceptionList, besides: listeners, form: Self.form)
  }

  private var exceptionList: String { exceptions.joined(separator: ",") }

  private static let form = "http://HOST:PORT or socks5://HOST:PORT, perhaps with USER:PASSWORD@ before the host"
}
