# Resources that exist only in the state: they need no account, no provider download and no network but the state's.

terraform {
  # TF_HTTP_* set the address, the user and the password.
  backend "http" {}
}

variable "branch" {
  type        = string
  description = "What is deployed."
}

resource "terraform_data" "network" {
  input = "10.20.0.0/16"

  provisioner "local-exec" {
    command = "sh ../create.sh network 2"
  }
}

resource "terraform_data" "database" {
  input = { engine = "postgres", network = terraform_data.network.output }

  provisioner "local-exec" {
    command = "sh ../create.sh database 3"
  }
}

resource "terraform_data" "service" {
  count = 3
  input = { branch = var.branch, port = 8080 + count.index, database = terraform_data.database.id }

  provisioner "local-exec" {
    command = "sh ../create.sh service-${count.index} 2"
  }
}

output "branch" {
  value = var.branch
}

output "ports" {
  value = [for service in terraform_data.service : service.output.port]
}
