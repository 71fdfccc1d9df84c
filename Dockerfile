# The tag is not pinned by digest, as nobody who wrote this could ask the registry for one.
# Whoever can: docker buildx imagetools inspect golang:1.26 prints it; write it as
# golang:1.26@sha256:... here. The image that runs is built from scratch and has no base.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# What "heddle version" says of the image.
ARG VERSION COMMIT DATE
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" -o /out/heddle .
# The folder of the data is apart, as COPY does not change the owner of one that exists.
RUN mkdir -p /out-data /out/tmp /out/etc/ssl/certs
RUN chmod 1777 /out/tmp
RUN cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/

FROM scratch
COPY --from=build /out /
COPY --from=build --chown=65532:65532 /out-data /data
ENV DATA_DIR=/data HEALTH_ADDR=127.0.0.1:8086
VOLUME /data
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=25s --start-period=1m CMD ["/heddle", "health"]
ENTRYPOINT ["/heddle"]
