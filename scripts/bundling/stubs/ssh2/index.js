// docker-modem requires ssh2 for ssh:// hosts, which this project does not serve.
class Client {
  constructor() {
    throw new Error('ssh:// Docker hosts are not supported. Use a unix:// or tcp:// DOCKER_HOST.');
  }
}
module.exports = { Client };
