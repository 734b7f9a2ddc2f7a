package import TapelineLoop
package import TapelineTransport

/// The proxy that the environment names. Without us, a command would have reached servers through it, so we use it, too.
///
/// There can be only one proxy. If HTTP and HTTPS have different proxies, the proxy for HTTPS carries both. If only one of them
/// has a proxy, the other's standard port is an exception.
package struct InheritedProxy {
  /// How a command treats the proxy.
  package enum Use {
    /// `run` uses it: it was meant for the command.
    case followed
    /// `record` only mentions it: it serves other clients than the shell it was started from.
    case mentioned
    /// Ignored without a message.
    case ignored
  }

  /// `nil` when servers are reached directly.
  package let proxy: UpstreamProxy?
  /// The messages about it, one line each. No line shows credentials.
  package let notes: [String]
  /// The message of a command that does not use it.
  package let mention: String?

  /// - Parameter listeners: the addresses where we listen. A variable that names one of these means us, and counts as unset.
  package init(environment: [String: String], besides listeners: [SocketAddress] = []) {
    let exceptions = Exceptions(environment)
    let secure = Named(first: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], in: environment, besides: listeners)
    let clear = Named(first: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"], in: environment, besides: listeners)
    guard let chosen = secure.usable ?? clear.usable else {
      proxy = nil
      notes = Self.refusals(secure, clear)
      mention = nil
      return
    }
    var text = "servers are reached through \(chosen.proxy), as \(chosen.name) says"
    var list = exceptions.list
    if let variable = exceptions.variable { text += ", but for those in \(variable)" }
    switch (clear.usable, secure.usable) {
    case (nil, _?):
      list.append("*:80")
      text += " and port 80, because the variables name no proxy for HTTP"
    case (_?, nil):
      list.append("*:443")
      text += " and port 443, because the variables name no proxy for HTTPS"
    case (let clear?, _?) where clear.proxy != chosen.proxy:
      text += "; so is HTTP, for which \(clear.name) names another, as there can be one"
    case (nil, nil), (_?, _?): break
    }
    proxy = UpstreamProxy(
      scheme: chosen.proxy.scheme, host: chosen.proxy.host, port: chosen.proxy.port, credential: chosen.proxy.credential,
      exceptions: Exceptions.parsed(list.joined(separator: ",")))
    notes = ["\(text); --upstream-proxy none reaches them directly"] + exceptions.complaints + Self.refusals(secure, clear)
    mention =
      "servers are reached directly, and not through \(chosen.proxy), as \(chosen.name) says: that is for clients; "
      + "--upstream-proxy \"$\(chosen.name)\" goes there"
  }

  private static func refusals(_ secure: Named, _ clear: Named) -> [String] {
    [secure.refusal, clear.refusal == secure.refusal ? nil : clear.refusal].compactMap(\.self)
  }
}

/// The proxy that the first non-empty variable of several names.
private enum Named {
  case nothing
  case proxy(name: String, UpstreamProxy)
  case unusable(name: String, why: String)

  init(first names: [String], in environment: [String: String], besides listeners: [SocketAddress]) {
    guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let text = environment[name] else {
      self = .nothing
      return
    }
    do throws(UpstreamProxyError) {
      let proxy = try UpstreamProxy(parsing: text)
      self = listeners.contains(where: proxy.isReached) ? .nothing : .proxy(name: name, proxy)
    } catch {
      self = .unusable(name: name, why: error.description)
    }
  }

  var usable: (name: String, proxy: UpstreamProxy)? {
    switch self {
    case .proxy(let name, let proxy): (name, proxy)
    case .nothing, .unusable: nil
    }
  }

  var refusal: String? {
    switch self {
    case .nothing, .proxy: nil
    case .unusable(let name, let why):
      "\(name): \(why), and is not used; name one that speaks HTTP or SOCKS5 with --upstream-proxy, or none with --upstream-proxy none"
    }
  }
}

/// `NO_PROXY`, which every program reads differently: we report members that we do not understand, and go on.
private struct Exceptions {
  /// The variable that names exceptions.
  private(set) var variable: String?
  private(set) var list: [String] = []
  private(set) var complaints: [String] = []

  init(_ environment: [String: String]) {
    guard let name = ["no_proxy", "NO_PROXY"].first(where: { environment[$0]?.isEmpty == false }), let text = environment[name]
    else {
      return
    }
    for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init) {
      do throws(UpstreamProxyError) {
        _ = try ProxyExceptions(parsing: word)
        list.append(word)
      } catch {
        complaints.append("\(name): \(error), and excepts nothing; write it as --upstream-proxy-except has it")
      }
    }
    if !list.isEmpty { variable = name }
  }

  /// Parses members that were already parsed one by one.
  static func parsed(_ list: String) -> ProxyExceptions {
    do throws(UpstreamProxyError) {
      return try ProxyExceptions(parsing: list)
    } catch {
      preconditionFailure("members that are exceptions each are exceptions together")
    }
  }
}
