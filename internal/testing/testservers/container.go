package testservers

import (
	"context"

	"github.com/testcontainers/testcontainers-go"
)

// startContainer starts a server in a container, and returns the address of its only port, with a protocol before it unless
// that is empty.
func startContainer(request testcontainers.ContainerRequest, protocol string) (string, error) {
	ctx := context.Background()
	container, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{ContainerRequest: request, Started: true})
	if err != nil {
		return "", err
	}
	return container.PortEndpoint(ctx, request.ExposedPorts[0], protocol)
}
