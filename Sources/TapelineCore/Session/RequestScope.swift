/// What a request needs of its session to be made.
package struct RequestScope {
  let engine: SessionEngine
  let owner: any RequestDelegate
  let interceptor: (any RequestInterceptor)?
  /// In place of the session's setting.
  let shouldAutomaticallyResume: Bool?
}
