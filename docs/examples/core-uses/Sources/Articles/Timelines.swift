import TapelineCore

func readTimelines() async {
  let response = await AF.request("https://example.com/").serializingString().response
  print(response.timeline)
  print(response.timeline.latency, response.timeline.totalDuration)

  if let metrics = response.metrics, let transaction = metrics.transactions.last {
    if let begin = transaction.domainLookupStart, let end = transaction.domainLookupEnd {
      print("lookup", end.offset - begin.offset)
    }
    print(transaction.isReusedConnection, transaction.remoteAddress ?? "-", transaction.tlsProtocolVersion ?? "-")
    print(metrics.bytesSent, metrics.bytesReceived, metrics.redirectCount)
  }
}
