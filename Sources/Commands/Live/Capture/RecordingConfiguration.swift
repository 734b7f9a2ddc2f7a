internal import TapelineInspect
package import TapelineOffline
package import TapelineOTLP
package import TapelineProxy
package import TapelineRecorder
package import TapelineBase

/// A recording as its command wants it.
package struct RecordingConfiguration {
  /// Everything of the proxy except what the recording makes itself: interception, metrics and notices.
  package var proxy: ProxyConfiguration
  /// Everything of the recorder except the path.
  var recorder: RecorderConfiguration
  /// How HTTPS is decrypted; absent where it is tunnelled.
  package var https: HTTPSConfiguration?
  /// How servers are trusted that tapeline speaks TLS to by itself, whether it decrypts anything or not.
  package var servers = HTTPSConfiguration()
  /// The path of the HAR. Absent if the user has named none: then an unused name is made from the time.
  package var output: String?
  /// Whether the log is kept, and mentioned. If not, the caller removes it.
  package var isKept = true
  /// The credentials that clients must send, if they must.
  package var credentials: CredentialPair?
  /// The recording's name for `--name` of the control commands, if it was given one.
  package var name: String?
  /// The file that tells scripts where the proxy listens.
  package var portFile: String?
  /// Whether only errors are printed.
  package var isQuiet = false
  /// The settings in force, if they are to be printed.
  package var settings: String?
  /// Whether the address of the live page is printed.
  package var announcesLivePage = false
  /// Whether a crash of ours ends what is in flight, and not the recording.
  package var survivesCrashes = true
  /// Whether a command starts when Chrome's panel is attached, and the recording ends when it has left.
  package var waitsForPanel = false
  /// Facts that the user may not expect, one line each.
  package var notes: [String] = []
  /// A private directory that exists until the end, for files that only this run's own clients need: an authority, if none can be
  /// kept. Absent if other clients use the proxy.
  package var scratch: String?

  /// Where the exchanges are exported to while they are recorded, if anywhere.
  package var export: ExportConfiguration?

  /// How the command gets a network of its own; absent if variables tell it about the proxy.
  package var network: NetworkConfiguration?
  /// The browser that the command of `run` is for; absent if the command is a program of its own.
  package var browser: Browser?
  /// The network that the user has chosen. Its packets are held if the command has one of its own, else its exchanges.
  package var link: LinkProfile?

  package init(proxy: ProxyConfiguration, recorder: RecorderConfiguration) {
    self.proxy = proxy
    self.recorder = recorder
    guard proxy.bodies == .none else { return }
    self.recorder.outlinesBodies = true
    self.proxy.outlines = { target in ModelAPI(path: String(target.prefix { $0 != "?" })) != nil }
  }
}

/// The network of a command.
package struct NetworkConfiguration {
  /// The name server to ask instead of those that the command asks, if the user has named one.
  package let nameServer: Endpoint?

  package init(nameServer: Endpoint?) {
    self.nameServer = nameServer
  }
}

/// How HTTPS is decrypted.
package struct HTTPSConfiguration {
  /// Hosts to decrypt; empty means all.
  package var interceptHosts: [HostPattern] = []
  /// Hosts to tunnel unread.
  package var passthroughHosts: [HostPattern] = []
  /// Whether clients that refuse our certificate are tunnelled after repeated refusals.
  package var failsOpen = true
  /// Whether the clients are told whom to trust.
  package var handsOverTrust = false
  /// The authority's directory, if the user has named one.
  package var authorityDirectory: String?
  /// A PEM file of further authorities by which servers are trusted.
  package var upstreamAuthority: String?
  /// Whether any certificate of a server is accepted.
  package var trustsAnyServer = false
  /// The certificates of clients, and the hosts to which they are presented.
  package var clientCertificates: [ClientCertificate] = []

  package init() {}
}
