internal import TapelineSystem
internal import TapelineBase

/// tshark, which reads capture files and decrypts TLS: the packets of a capture as lines of fields.
final class Tshark {
  private let child: ChildIdentifier
  private let output: Int32
  private let errors: Int32
  private var line: [UInt8] = []

  private static let pieceSize = 256 << 10
  /// A packet of 64 KiB has two such fields at most, in hexadecimal.
  private static let lineLimit = 8 << 20

  /// Starts it.
  ///
  /// - Parameters:
  ///   - file: the capture; `-` for our standard input.
  ///   - keys: a file with the secrets of TLS connections, as browsers and curl write it (`SSLKEYLOGFILE`).
  convenience init(reading file: String, keys: String?) throws(CommandFailure) {
    let input: Int32
    do throws(SystemCallError) {
      input = try file == "-" ? SystemCalls.duplicate(StandardStream.input) : SystemCalls.open(file)
    } catch {
      throw CommandFailure(status: .badInput, what: file, why: error.text, remedy: "name a capture that can be read")
    }
    defer { SystemCalls.discard(input) }
    try self.init(Self.command(keys, disabling: Self.disabledProtocols()), input: .descriptor(input))
  }

  private init(_ command: [String], input: ProgramStart.Stream) throws(CommandFailure) {
    let directory = TemporaryFiles.directory(ProcessEnvironment.variables())
    do throws(PrivateFileError) {
      errors = try PrivateFile.unnamed(in: directory)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: directory, why: error.description, remedy: "name another directory with TMPDIR")
    }
    do throws(SystemCallError) {
      let pipe = try SystemCalls.makePipe(isNonBlocking: false)
      defer { SystemCalls.discard(pipe.write) }
      output = pipe.read
      var start = ProgramStart(command, environment: ProcessEnvironment.entries(replacing: Self.environment))
      start.streams = [input, .descriptor(pipe.write), .descriptor(errors)]
      do throws(SystemCallError) {
        child = try start.start()
      } catch {
        SystemCalls.discard(pipe.read)
        throw error
      }
    } catch {
      SystemCalls.discard(errors)
      throw Self.failure(error)
    }
  }

  /// A user's own settings, scripts and libraries could change what it writes, and would run on a stranger's bytes.
  private static let environment = [
    (name: "WIRESHARK_CONFIG_DIR", value: nowhere), (name: "WIRESHARK_PLUGIN_DIR", value: nowhere),
    (name: "WIRESHARK_EXTCAP_DIR", value: nowhere), (name: "HOME", value: nowhere), (name: "XDG_CONFIG_HOME", value: nowhere),
    (name: "LC_ALL", value: "C"),
  ]
  private static let nowhere = "/nonexistent"

  /// The protocols that lead to the bytes that are read: links, tunnels, TCP, TLS, DNS. The others' readers are most of tshark,
  /// and are kept from a stranger's bytes.
  private static let readProtocols: Set<String> = [
    "frame", "eth", "ethertype", "llc", "sll", "null", "loop", "raw", "nflog", "pktap", "radiotap", "wlan", "wlan_radio", "ppp",
    "pppoes", "vlan", "ieee8021ad", "ieee8021ah", "mpls", "gre", "vxlan", "geneve", "ip", "ipv6", "ipv6.hopopts", "ipv6.routing",
    "ipv6.fraghdr", "ipv6.dstopts", "icmp", "icmpv6", "tcp", "udp", "dns", "tls", "data",
  ]

  /// The other protocols that this tshark knows.
  private static func disabledProtocols() throws(CommandFailure) -> [String] {
    let list = try Tshark(["tshark", "-G", "protocols"], input: .nothing)
    var names: [String] = []
    try list.readLines { (line) throws(CommandFailure) in
      // Its name, its short name, and the name that filters and options have for it.
      let columns = line.split(separator: Byte.tab, omittingEmptySubsequences: false)
      guard columns.count > 2 else { return }
      names.append(String(decoding: columns[2], as: UTF8.self))
    }
    if let complaint = list.finish() {
      throw CommandFailure(status: .unavailable, what: "tshark", why: complaint, remedy: "check that tshark -G protocols works")
    }
    return names.filter { !readProtocols.contains($0) }
  }

  private static func command(_ keys: String?, disabling protocols: [String]) -> [String] {
    var command = ["tshark", "-n", "-r", "-", "-Y", "(tcp and not icmp and not icmpv6) or (dns and udp)"]
    // The content of TLS is left as it is, too: it is read here, with its times.
    for name in protocols { command += ["--disable-protocol", name] }
    for preference in [
      "tcp.desegment_tcp_streams:TRUE", "tcp.reassemble_out_of_order:TRUE", "tls.desegment_ssl_records:TRUE",
      "tls.desegment_ssl_application_data:TRUE",
    ] { command += ["-o", preference] }
    if let keys { command += ["-o", "tls.keylog_file:\(keys)"] }
    command += ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=,"]
    for field in PacketRow.Field.allCases { command += ["-e", field.name] }
    return command
  }

  private static func failure(_ error: SystemCallError) -> CommandFailure {
    CommandFailure(
      status: .unavailable, what: "tshark", why: error.text,
      remedy: "it reads the packets; install it (on Debian and Ubuntu: apt install tshark) and try again")
  }

  /// Gives away the packets, one after the other.
  func read(_ take: (PacketRow) throws(CommandFailure) -> Void) throws(CommandFailure) {
    try readLines { (line) throws(CommandFailure) in
      if let row = PacketRow(line) { try take(row) }
    }
  }

  private func readLines(_ take: ([UInt8]) throws(CommandFailure) -> Void) throws(CommandFailure) {
    while true {
      let piece: [UInt8]?
      do throws(SystemCallError) {
        piece = try SystemCalls.read(output, upTo: Self.pieceSize)
      } catch {
        throw Self.failure(error)
      }
      guard let piece, !piece.isEmpty else { return }
      var start = 0
      while let end = piece.span.first(of: Byte.lineFeed, from: start) {
        line += piece[start..<end]
        try take(line)
        line.removeAll(keepingCapacity: true)
        start = end + 1
      }
      line += piece[start...].prefix(Self.lineLimit - line.count)
    }
  }

  /// Waits for its end, or ends it. Call it once.
  ///
  /// - Returns: what it complained of, if it did not read the capture to its end.
  func finish(isKilled: Bool = false) -> String? {
    SystemCalls.discard(output)
    defer { SystemCalls.discard(errors) }
    if isKilled { ProcessSignal.send(ProcessSignal.kill, to: child.id) }
    let end = child.collect()
    let complaint = Self.complaint(in: errors)
    // It takes a capture that ends within a packet for a success.
    return end == .exited(0) && !complaint.contains("cut short") ? nil : complaint
  }

  /// The last line that is about the capture.
  private static func complaint(in file: Int32) -> String {
    var text = [UInt8](repeating: 0, count: 16 << 10)
    do throws(SystemCallError) {
      let count = try SystemCalls.read(file, at: 0, into: &text)
      text.removeLast(text.count - count)
    } catch {
      text = []
    }
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    let last = lines.last { !$0.contains("could be dangerous") }
    return last.map { String($0.hasPrefix("tshark: ") ? $0.dropFirst("tshark: ".count) : $0) } ?? "tshark could not read it"
  }
}
