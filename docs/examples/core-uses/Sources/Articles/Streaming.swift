import FoundationEssentials
import TapelineCore

func readPieces() async throws {
  var bytes = 0
  for try await piece in AF.streamRequest("https://example.com/live").validate().bytes() {
    bytes += piece.count
    if bytes > 1 << 20 { break }
  }
}

func readWithAHandler() {
  AF.streamRequest("https://example.com/live")
    .responseStreamString { stream in
      switch stream.event {
      case .stream(.success(let text)): print(text)
      case .complete(let completion): print("ended", completion.error as Any)
      }
    }
}

func decideByTheHead() {
  AF.streamRequest("https://example.com/live")
    .onHTTPResponse { response, decide in
      decide(response.statusCode == 200 ? .allow : .cancel)
    }
    .responseStream { stream in
      if let data = stream.value { print(data.count) }
    }
}

func downloadAFile(to directory: URL) async throws -> URL {
  let download = AF.download(
    "https://example.com/tape.wav",
    to: DownloadRequest.suggestedDownloadDestination(in: directory, options: [.createIntermediateDirectories]))
  download.downloadProgress { print($0.fractionCompleted) }
  let file = try await download.validate().serializingDownloadedFileURL().value
  return file
}

func uploadPieces(of text: String) async {
  let body = UploadStream {
    let unread = Protected(Array(text.utf8)[...])
    return { limit in
      unread.write { rest in
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
      }
    }
  }
  let response = await AF.upload(body, to: "https://example.com/log").validate().serializingData().response
  print(response.response?.statusCode ?? 0)
}
