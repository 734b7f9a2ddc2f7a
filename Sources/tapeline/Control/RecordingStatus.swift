internal import TapelineHAR

/// The status that a recording reports.
struct RecordingStatus: Hashable, Sendable {
  var processID: Int
  /// The program's version.
  var version: String
  /// The title of the first page: for `run` the command.
  var title: String
  /// The value of `--name`; absent if it was not given.
  var name: String?
  /// The directory where the recording was started, absolute; absent if unknown.
  var directory: String?
  /// Where the proxy listens, as `HOST:PORT`.
  var endpoints: [String]
  /// Whether clients are asked for a name and a password.
  var asksForCredentials = false
  /// Absent where HTTPS is tunnelled.
  var interception: Interception?
  var traffic: Traffic
  var log: Log
  var unread = Unread()
  var passedThrough: [PassedThrough] = []

  /// The authorities that a client has to trust, for `tapeline env`.
  struct Interception: Hashable, Sendable {
    /// The authority's directory.
    var directory: String
    /// Files with further authorities, which a client that goes past the proxy has to trust.
    var upstreamAuthorities: [String]
  }

  struct Traffic: Hashable, Sendable {
    /// Exchanges begun and not recorded yet, without tunnels.
    var inFlight: Int
    /// Tunnels and WebSockets.
    var openTunnels: Int
    var clients: Int
    /// Exchanges begun since the start.
    var begun: Int
    /// Milliseconds since an exchange or a tunnel last began or ended; absent before the first.
    var quietMilliseconds: Int?
    /// The exchanges of `inFlight` whose response has begun and is a stream.
    var streams = 0
  }

  struct Log: Hashable, Sendable {
    /// The absolute path of the current file.
    var file: String
    var fileSize: Int
    var fileEntries: Int
    /// How many files there are, this one included.
    var files: Int
    /// The page to which new exchanges belong.
    var page: String
    var recorded: Int
    /// Exchanges that --filter left out.
    var filtered = 0
    /// Failed exchanges, including those that --filter left out.
    var failed: Int
    var withoutBodies: Int
    /// Exchanges lost for want of room in the queue or on the disk.
    var notRecorded: Int
  }

  /// Tunnels that were relayed and not read.
  struct Unread: Hashable, Sendable {
    var tunnels = 0
    var reasons: [Reason] = []
    /// The hosts with the most tunnels first; those beyond a bound are left out.
    var hosts: [Host] = []

    struct Reason: Hashable, Sendable {
      var name: String
      var tunnels: Int
    }

    struct Host: Hashable, Sendable {
      /// With its port, unless that is the default port.
      var name: String
      var reason: String
      var tunnels: Int
    }
  }

  /// A client that is passed through to a host, because it refused our certificate there.
  struct PassedThrough: Hashable, Sendable {
    var host: String
    var client: String
    var why: String
    /// Microseconds since 1970.
    var since: Int
    var expires: Int
  }
}
