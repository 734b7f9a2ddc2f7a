import Foundation
import TapelineCore

// What does not compile as it was, as it compiles now.

func credentials(_ url: String) -> DataRequest {
  let credential = Credential(user: "ada", password: "loopback", persistence: .forSession)
  return AF.request(url + "/tape").authenticate(with: credential)
}

func uploadStream(_ url: String) async throws -> String {
  let bytes = [UInt8](repeating: 0xAB, count: 1_000)
  let stream = UploadStream(length: 1_000) {
    let position = Protected(0)
    return { limit in
      position.write { position in
        let piece = bytes[position..<min(position + limit, bytes.count)]
        position += piece.count
        return Array(piece)
      }
    }
  }
  let receipt = try await AF.upload(stream, to: url + "/upload").serializingJSONValue().value
  return "\(receipt["bytes"] ?? .null) bytes"
}

func oneTypeParameter(_ url: String) async -> DataResponse<Tape> {
  await AF.request(url + "/tape").serializingDecodable(Tape.self).response
}

func progress(_ url: String) async -> Double {
  let request = AF.request(url + "/tape")
  let steps = request.downloadProgress()
  request.resume()
  var last = TapelineCore.Progress()
  for await progress in steps { last = progress }
  return last.fractionCompleted
}

func ownTimeout(_ url: String) async -> Bool {
  var configuration = SessionConfiguration.default
  configuration.responseTimeout = 60
  let session = Session(configuration: configuration)
  let response = await session.request(url + "/silence") { $0.timeoutInterval = 0.05 }.serializingData().response
  return response.error?.isTimeout == true
}

extension Session {
  func request(_ url: String, modifier: @escaping RequestModifier) -> DataRequest {
    request(url, requestModifier: modifier)
  }
}

func mainQueue(_ url: String) {
  AF.request(url + "/tape").responseString(queue: .main) { response in
    print(response.value ?? "")
  }
}

func numbersInParameters(_ url: String) -> DataRequest {
  let parameters: Parameters = ["title": "Side A", "minutes": 42, "tags": ["live", "mono"]]
  return AF.request(url + "/form", method: .post, parameters: parameters)
}

struct Listener: EventMonitor {
  let queue = DispatchQueue(label: "listener")

  func requestDidResume(_ request: Request) {
    print(request)
  }

  func request<Value>(_ request: DataRequest, didParseResponse response: DataResponse<Value>) {
    print(response)
  }

  func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    print(metrics)
  }
}

func delegateClosures(_ session: Session) {
  session.delegate.taskDidReceiveChallenge = { _, _, challenge in
    challenge.previousFailureCount == 0
      ? .useCredential(Credential(user: "ada", password: "loopback")) : .cancelAuthenticationChallenge
  }
  session.delegate.sessionDidBecomeInvalidWithError = { error in
    print(error.map { "\($0)" } ?? "released")
  }
}

func gate(_ request: DataRequest) {
  request.delegate.queue.addOperation {
    print("ended")
  }
}

func pins(_ file: String) throws -> Session {
  let evaluator = PinnedCertificatesTrustEvaluator(certificates: try Certificate.certificates(contentsOfFile: file))
  return Session(serverTrustManager: ServerTrustManager(evaluators: ["api.example.com": evaluator]))
}
