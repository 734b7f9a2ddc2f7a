import FoundationEssentials
import TapelineCore

struct TokenAdapter: RequestInterceptor {
  let token: String

  func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) -> Bool {
    urlRequest.headers.update(.authorization(bearerToken: token))
    return true
  }
}

func observe() -> Session {
  let monitor = ClosureEventMonitor()
  monitor.requestDidCreateURLRequest = { _, urlRequest in print("will send", urlRequest) }
  monitor.requestDidFinish = { request in print("finished", request, request.timeline) }
  let session = Session(interceptor: TokenAdapter(token: "…"), eventMonitors: [monitor])
  return session
}

func command(_ session: Session) {
  let request = session.request("https://example.com/tapes/1", shouldAutomaticallyResume: false)
  request.cURLDescription { print($0) }
  request.responseString { print($0) }
  request.resume()
  request.suspend()
  request.cancel()
}
