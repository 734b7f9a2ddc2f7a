internal import TapelineHAR
internal import TapelineInspect

extension TraceSpan {
  /// Says of a gRPC call what the conventions for RPC have (1.27): the method, the status, and an event for each message.
  mutating func describeCall(of entry: HAREntry) {
    let status = CallStatus(entry)
    let call = RecordedCall(entry)
    guard status != nil || call != nil else { return }
    append("rpc.system", "grpc")
    append("rpc.grpc.status_code", status?.number)
    if let method = RPCMethod(path: RequestURL(entry.request.url)?.path ?? "") {
      name = method.text
      append("rpc.service", method.service)
      append("rpc.method", method.method)
    }
    if let call { appendMessages(of: call) }
  }

  /// Messages are numbered in each direction, from 1. The bytes are those that passed.
  private mutating func appendMessages(of call: RecordedCall) {
    var numbers = (sent: 0, received: 0)
    for message in call.messages where !message.isTrailers {
      if message.isSent { numbers.sent += 1 } else { numbers.received += 1 }
      guard let seconds = message.time, (0..<1e10).contains(seconds) else { continue }
      var attributes = [
        Attribute(name: "rpc.message.type", value: .string(message.isSent ? "SENT" : "RECEIVED")),
        Attribute(name: "rpc.message.id", value: .integer(Int64(message.isSent ? numbers.sent : numbers.received))),
      ]
      if let size = message.size {
        let name = message.isCompressed ? "rpc.message.compressed_size" : "rpc.message.uncompressed_size"
        attributes.append(Attribute(name: name, value: .integer(Int64(size))))
      }
      events.append(Event(name: "rpc.message", time: Int64((seconds * 1e6).rounded()) * 1_000, attributes: attributes))
    }
    droppedEvents = max(0, call.messageCount - events.count)
  }
}
