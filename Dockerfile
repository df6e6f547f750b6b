# The server in an image of one static binary, as a user without rights.
#
#   docker build -t headwater .
#   docker run -p 127.0.0.1:8080:8080 -v headwater:/data headwater
#   docker logs CONTAINER   # has the link with which the first administrator signs up
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG COMMIT=
RUN make build VERSION=$VERSION COMMIT=$COMMIT
# A volume gets the owner of the directory that it covers.
RUN mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/bin/headwater /usr/local/bin/headwater
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
# In a container the server must listen on all addresses, and does not know on which addresses of the
# host its port is published. So callers must show who they are, unless the container is run with
# HEADWATER_AUTH=off and HEADWATER_ALLOW_ANYONE=true. The secrets are in the volume.
ENV HEADWATER_DATA=/data HEADWATER_LISTEN=0.0.0.0:8080 HEADWATER_AUTH=on
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["headwater", "health", "--timeout", "4s"]
ENTRYPOINT ["headwater"]
CMD ["serve"]
