internal import CTapeline
internal import Glibc

// A network of a process's own (network_namespaces(7), user_namespaces(7)), and what is passed out of it.
extension SystemCalls {
  /// Puts this process into a new, empty network, of which it is the administrator. It must have one thread.
  ///
  /// - Parameter withUser: in a new user namespace, for which no privilege is needed; no user exists in it until one is mapped.
  package static func leaveNetwork(withUser: Bool) throws(SystemCallError) {
    _ = try retrying(.unshare) { tapeline_unshare_network(withUser) }
  }

  /// A socket to the kernel's routes and addresses (rtnetlink(7)), or to its packet filter.
  package static func makeNetlinkSocket(isNetfilter: Bool) throws(SystemCallError) -> Int32 {
    try retrying(.socket) { tapeline_netlink(isNetfilter) }
  }

  /// Lets a socket accept for any address, and answer from it (IP_TRANSPARENT).
  package static func setTransparent(_ socket: Int32, isIPv6: Bool) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_transparent(socket, isIPv6) }
  }

  /// Marks all packets that a socket sends, and the sockets that it accepts (SO_MARK).
  package static func setMark(_ socket: Int32, _ mark: UInt32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_mark(socket, mark) }
  }

  /// Gives a socket room for so many bytes that it has received, as far as the system permits.
  package static func setReceiveBuffer(_ socket: Int32, size: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_receive_buffer(socket, size) }
  }

  /// Waits until a descriptor is readable, at most so long. Answers whether it is.
  package static func waitReadable(_ descriptor: Int32, nanoseconds: Int64) throws(SystemCallError) -> Bool {
    try retrying(.poll) { tapeline_wait_readable(descriptor, nanoseconds) } > 0
  }

  /// The two ends of a connection of messages, blocking and close-on-exec, for the caller to close.
  package static func makeLocalPair() throws(SystemCallError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    _ = try retrying(.socket) { unsafe tapeline_local_pair(&ends) }
    return (ends[0], ends[1])
  }

  /// Sends one message with descriptors, which stay open here (SCM_RIGHTS).
  package static func send(_ message: [UInt8], with descriptors: [Int32], to socket: Int32) throws(SystemCallError) {
    _ = try unsafe message.span.withUnsafeBytes { bytes throws(SystemCallError) in
      try unsafe descriptors.span.withUnsafeBufferPointer { descriptors throws(SystemCallError) in
        try count(.send) {
          unsafe tapeline_send_descriptors(
            socket, bytes.baseAddress, bytes.count, descriptors.baseAddress, Int32(descriptors.count))
        }
      }
    }
  }

  /// Waits for one message; the descriptors in it are the caller's. An empty message is the end.
  package static func receiveMessage(
    from socket: Int32, limit: Int, descriptorLimit: Int
  ) throws(SystemCallError) -> (message: [UInt8], descriptors: [Int32]) {
    var descriptors = [Int32](repeating: -1, count: descriptorLimit)
    var message = [UInt8](repeating: 0, count: limit)
    var found: Int32 = 0
    var span = message.mutableSpan
    let length = try unsafe span.withUnsafeMutableBytes { buffer throws(SystemCallError) in
      try count(.receive) {
        unsafe tapeline_receive_descriptors(
          socket, buffer.baseAddress, buffer.count, &descriptors, Int32(descriptorLimit), &found)
      }
    }
    return (Array(message[..<length]), Array(descriptors[..<Int(found)]))
  }

  /// Splits a process off this one, which must have one thread: nobody's child, in a session of its own, with no descriptor but
  /// `kept`.
  ///
  /// - Parameter name: at most 15 bytes; what ps(1) shows.
  /// - Returns: whether this is that process.
  package static func splitOff(keeping kept: Int32, named name: String) throws(SystemCallError) -> Bool {
    try retrying(.spawn) { unsafe tapeline_split_off(kept, name) } == 1
  }

  /// Whether a descriptor is a socket that is not local: of the internet, for instance.
  package static func isNetworkSocket(_ descriptor: Int32) -> Bool {
    tapeline_is_network_socket(descriptor) == 1
  }

  /// Takes a capability (capabilities(7)) from every program that this process executes.
  package static func dropCapability(_ number: Int32) throws(SystemCallError) {
    _ = try retrying(.prctl) { tapeline_drop_capability(number) }
  }

  package static func clearAmbientCapabilities() throws(SystemCallError) {
    _ = try retrying(.prctl) { tapeline_clear_ambient_capabilities() }
  }
}

extension CurrentUser {
  package static var groupID: UInt32 { getgid() }
}
