internal import TapelineCore
internal import TapelineHTTP

extension ExchangeRecord {
  /// The approximate memory that the exchange takes while it waits, without its bodies.
  var bareSize: Int {
    var size = MemoryLayout<ExchangeRecord>.stride + chunks.count * MemoryLayout<Chunk>.stride
    size += request?.size ?? 0
    size += response?.size ?? 0
    for head in informational { size += head.size }
    return size
  }

  var keptBodySize: Int {
    var size = requestBody.bytes.count + responseBody.bytes.count
    for message in webSocketMessages { size += message.bytes.count + MemoryLayout<WebSocketMessage>.stride }
    return size
  }

  mutating func dropBodies() {
    requestBody.dropBytes()
    responseBody.dropBytes()
    webSocketMessages = []
  }
}
