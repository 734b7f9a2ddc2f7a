internal import TapelineHAR

/// The status that a recording reports.
package struct RecordingStatus: Hashable, Sendable {
  var processID: Int
  /// The program's version.
  var version: String
  /// The title of the first page: for `run` the command.
  package var title: String
  /// The value of `--name`; absent if it was not given.
  package var name: String?
  /// The directory where the recording was started, absolute; absent if unknown.
  package var directory: String?
  /// Where the proxy listens, as `HOST:PORT`.
  package var endpoints: [String]
  /// Whether clients are asked for a name and a password.
  package var asksForCredentials = false
  /// The address of the live page, with its key; absent if the proxy has no address.
  package var livePage: String?
  /// Absent where HTTPS is tunnelled.
  package var interception: Interception?
  package var traffic: Traffic
  package var log: Log
  /// Absent from a recording by an earlier version.
  var queue: Queue?
  var unread = Unread()
  package var passedThrough: [PassedThrough] = []
  /// Absent if nothing is exported.
  package var export: Export?

  /// The authorities that a client has to trust, for `tapeline env`.
  package struct Interception: Hashable, Sendable {
    /// The authority's directory.
    package var directory: String
    /// Files with further authorities, which a client that goes past the proxy has to trust.
    package var upstreamAuthorities: [String]

    package init(directory: String, upstreamAuthorities: [String]) {
      self.directory = directory
      self.upstreamAuthorities = upstreamAuthorities
    }
  }

  package struct Traffic: Hashable, Sendable {
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

  package struct Log: Hashable, Sendable {
    /// The absolute path of the current file.
    package var file: String
    package var fileSize: Int
    var fileEntries: Int
    /// How many files there are, this one included.
    package var files: Int
    /// The page to which new exchanges belong.
    package var page: String
    var recorded: Int
    /// Exchanges that --filter left out.
    package var filtered = 0
    /// Failed exchanges, including those that --filter left out.
    var failed: Int
    var withoutBodies: Int
    /// Exchanges lost for want of room in the queue or on the disk.
    var notRecorded: Int
  }

  /// Entries that wait to be written.
  struct Queue: Hashable, Sendable {
    var exchanges: Int
    var bytes: Int
    /// The most bytes.
    var limit: Int
    /// `drop` or `wait`: what happens beyond it.
    var overload: String
    /// Exchanges that began later since the start, because the queue was full.
    var waited: Int
  }

  /// The spans that went to an OpenTelemetry collector: `made` is the sum of the four numbers after it.
  package struct Export: Hashable, Sendable {
    var url: String
    var made: Int
    var sent: Int
    var rejected: Int
    var dropped: Int
    var queued: Int
    /// Exchanges of which no spans were made.
    var leftOut: Int
    /// Why spans were rejected or not sent, most recently; absent while everything goes well.
    var trouble: String?

    package init(
      url: String, made: Int, sent: Int, rejected: Int, dropped: Int, queued: Int, leftOut: Int, trouble: String?
    ) {
      self.url = url
      self.made = made
      self.sent = sent
      self.rejected = rejected
      self.dropped = dropped
      self.queued = queued
      self.leftOut = leftOut
      self.trouble = trouble
    }
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
  package struct PassedThrough: Hashable, Sendable {
    var host: String
    var client: String
    var why: String
    /// Microseconds since 1970.
    var since: Int
    var expires: Int
  }
}
